"""Reading text in English and Chinese: names, links, status."""
