"""What is measured on the pages of ``scale``: each benchmark once, for any device."""

__all__: list[str] = []
