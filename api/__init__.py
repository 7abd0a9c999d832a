"""How people and programs ask: composition and the command line."""
