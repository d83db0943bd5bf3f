"""The command ``attention-course``: a subcommand a module."""
