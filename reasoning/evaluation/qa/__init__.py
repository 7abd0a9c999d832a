"""The task `qa`: questions with options, answered by arms with and without retrieval."""
