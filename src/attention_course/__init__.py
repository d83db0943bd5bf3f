"""Attention, Measured: the code behind the course.

``import attention_course`` is light on purpose: it loads neither torch nor plotly nor
ipywidgets. The sub-packages say what they need.
"""

__version__ = "0.1.0"
