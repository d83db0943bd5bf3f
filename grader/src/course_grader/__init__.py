"""Grades what students hand in, in a sandbox, and tells them what was found."""
