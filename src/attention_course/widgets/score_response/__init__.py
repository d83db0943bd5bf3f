"""How scores respond."""

from attention_course.widgets.score_response.widget import ScoreResponse

__all__ = ["ScoreResponse"]
