"""The data pulled apart as far as neighbours allow."""
