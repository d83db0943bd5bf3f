"""Small models that a chapter trains to show one thing."""
