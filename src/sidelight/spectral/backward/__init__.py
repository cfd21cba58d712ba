"""Embeddings whose coordinates are functions of the data: a backward mapping, in closed form."""
