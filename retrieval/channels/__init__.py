"""The channels: lexical, dense, graph."""
