"""What makes a method an estimator: validation, the place for `side`, graphs, pieces."""
