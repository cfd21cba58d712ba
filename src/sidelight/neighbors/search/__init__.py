"""How neighbours are found: trees, blocks of products, descent."""
