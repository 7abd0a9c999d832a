"""The graph store: loading, reading, and the guard for free Cypher."""
