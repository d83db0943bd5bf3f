"""Attention as fast hardware wants it: in tiles, by Triton, over several processes."""

__all__: list[str] = []
