"""Each point a mixture of neighbours that come before it."""
