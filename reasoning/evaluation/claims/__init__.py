"""The task `claims`: a claim, evidence, and what the one says of the other."""
