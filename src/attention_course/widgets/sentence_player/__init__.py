"""A trained translator at work on the reader's own sentence."""

from attention_course.widgets.sentence_player.widget import SentencePlayer

__all__ = ["SentencePlayer"]
