"""The layers of the chapters on pictures."""
