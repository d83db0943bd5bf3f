"""A trained translator at work on the reader's sentence, where the truth is known."""

from attention_course.widgets.world_player.widget import WorldPlayer

__all__ = ["WorldPlayer"]
