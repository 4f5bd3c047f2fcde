"""HTTP as a door to the same topics: requests in, verdicts and event streams out."""
