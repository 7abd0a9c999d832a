"""Sources: the contract, and one file each."""
