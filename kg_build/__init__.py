"""How the graph is built: sources, the canonical release, and what is derived from it."""
