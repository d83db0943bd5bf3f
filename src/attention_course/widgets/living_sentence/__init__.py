"""The course's sentence: a trained language model reads the reader's words, and can be cut."""

from attention_course.widgets.living_sentence.widget import LivingSentence

__all__ = ["LivingSentence"]
