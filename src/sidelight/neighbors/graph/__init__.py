"""Graphs of neighbours: built, given, joined where they fell apart."""
