"""The graph store: loading, updating, reading, and the guard for free Cypher."""
