"""The course's sentence: a trained language model reads the reader's words, and can be cut."""
