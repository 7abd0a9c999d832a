"""The task `diagnosis`: a case, ranked diseases, and the published diagnosis."""
