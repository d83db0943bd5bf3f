"""A tile of attention on the units of a multiprocessor, as a timeline."""

from attention_course.widgets.tile_pipeline.widget import TilePipeline

__all__ = ["TilePipeline"]
