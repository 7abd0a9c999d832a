"""The sentence encoders, one a file, and the models that English passages may be encoded with."""
