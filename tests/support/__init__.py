"""What several suites share: fakes that implement the ports, processes to start and stop, a judge of what came out."""
