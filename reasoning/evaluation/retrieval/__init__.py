"""The task `retrieval`: questions, a corpus, and the documents that answer; and sets made from a release."""
