"""How evidence is found: routing, decomposition, channels, fusion, paths."""
