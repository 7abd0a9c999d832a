"""Exchange: a release in the formats that other tools speak, one file per format."""
