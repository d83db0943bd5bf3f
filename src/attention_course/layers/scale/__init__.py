"""Layers for long sequences: what a decoder keeps."""
