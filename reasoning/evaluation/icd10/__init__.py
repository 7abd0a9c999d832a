"""The task `icd10`: records, diagnoses, and their codes."""
