"""The task `linking`: mentions and names, and the entities they mean; and sets made from a release."""
