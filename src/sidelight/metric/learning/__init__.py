"""The problems behind learned metrics, and the spaces they are solved in."""
