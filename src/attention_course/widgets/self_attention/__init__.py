"""Self-attention, step by step."""

from attention_course.widgets.self_attention.widget import SelfAttentionSteps

__all__ = ["SelfAttentionSteps"]
