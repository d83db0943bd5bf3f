"""The layers of the chapters on recurrent networks, as torch modules."""
