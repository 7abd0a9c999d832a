"""What is derived for searching: dictionary, arrays, matrix, text and vectors."""
