"""What is due: a map, an error that says what is wrong, or either."""

GOOD, ANY, BAD = "good", "any", "bad"
