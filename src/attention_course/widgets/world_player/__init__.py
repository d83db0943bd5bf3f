"""The sentence player in the small world, where the truth is known."""

from attention_course.widgets.world_player.widget import WorldPlayer

__all__ = ["WorldPlayer"]
