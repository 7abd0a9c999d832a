"""What may be said: the ontology file, the records, and reading text against them."""
