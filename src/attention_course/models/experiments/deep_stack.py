"""A narrow, deep language model, normalised after its sums or before its parts."""

import numpy as np
from torch import nn

from attention_course.models._build import seeded
from attention_course.models.language import LanguageModel


def deep_stack(
    n_symbols: int,
    rng: np.random.RandomState,
    norm_first: bool,
    depth: int = 12,
    width: int = 32,
) -> LanguageModel:
    """Build a deep stack with Xavier's first weights in every block.

    Args:
        n_symbols: size of the vocabulary.
        rng: the generator of the first weights.
        norm_first: whether each block normalises before its parts, not after the sums.
        depth: blocks.
        width: width of all vectors; the feed-forward parts are four times as wide.

    Returns:
        The model.

    Source:
        Xiong et al. (2020), section 3.3, for the first weights: Glorot and Bengio (2010).

    >>> len(deep_stack(9, np.random.RandomState(0), norm_first=False, depth=3).blocks)
    3
    """
    model = LanguageModel(
        n_symbols, rng, width, d_ff=4 * width, n_layers=depth, norm_first=norm_first
    )
    with seeded(rng):
        for matrix in model.blocks.parameters():
            if matrix.ndim == 2:
                nn.init.xavier_uniform_(matrix)
    return model
