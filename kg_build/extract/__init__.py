"""Extraction: candidate assertions from passages; none of it is knowledge until somebody accepts it."""
