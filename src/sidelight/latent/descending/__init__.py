"""What the methods that descend share: where they begin, pins, sums over pairs."""
