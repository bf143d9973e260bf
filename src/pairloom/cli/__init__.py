"""The command line: a person types, the library answers."""
