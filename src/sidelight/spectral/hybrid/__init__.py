"""Two embeddings in one, in closed form: distances are kept, and neighbours hold."""
