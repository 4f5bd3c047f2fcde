"""Claims that were seen before: when two are the same, what an earlier verdict may answer, and what it may lend."""
