"""Tables, graphs and knowledge from files and back."""
