"""Differential diagnosis from findings."""
