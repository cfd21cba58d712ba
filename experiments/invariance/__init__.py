"""Items that are moved, turned or filtered and stay what they are."""
