"""The translators: one that looks back, one that cannot, and one without recurrence."""

from collections.abc import Callable

import numpy as np
import torch

from attention_course.data.parallel import TranslationTask
from attention_course.data.tensors import load_checkpoint
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq, FixedContextSeq2Seq
from attention_course.models.translators.transformer import Transformer

_Kind = Callable[..., BahdanauSeq2Seq | Transformer]

# The fixed one has no alignment model. Its decoder is wider, so that both have the same number
# of weights (to 0.04 %).
TRANSLATORS: dict[str, tuple[_Kind, dict[str, int]]] = {
    "attention": (BahdanauSeq2Seq, {"decoder": 192}),
    "fixed": (FixedContextSeq2Seq, {"decoder": 212}),
}
# As many weights again, to 0.02 %. Trained by a script of its own, because its rate warms up.
ALL_TRANSLATORS = TRANSLATORS | {"transformer": (Transformer, {"d_ff": 315})}


def new_translator(
    name: str, task: TranslationTask, rng: np.random.RandomState
) -> BahdanauSeq2Seq | Transformer:
    """Build an untrained translator.

    Args:
        name: "attention", "fixed" or "transformer".
        task: whose vocabularies set the sizes.
        rng: the generator of the first weights.

    Returns:
        The model.
    """
    if name not in ALL_TRANSLATORS:
        raise ValueError(
            f"new_translator: name must be one of {[*ALL_TRANSLATORS]}, got {name!r}"
        )
    kind, sizes = ALL_TRANSLATORS[name]
    return kind(len(task.french), len(task.english), rng, **sizes)


def load_translator(
    name: str, task: TranslationTask
) -> tuple[BahdanauSeq2Seq | Transformer, dict[str, str]]:
    """Load a translator that a script in ``benchmarks`` has trained.

    Args:
        name: "attention", "fixed" or "transformer".
        task: the task of seed 0, on which it was trained.

    Returns:
        The model, and where its weights come from.

    Raises:
        ValueError: if the name is another, or the weights do not fit the task.

    Source:
        ``data/checkpoints/PROVENANCE.md``.
    """
    model = new_translator(name, task, np.random.RandomState(0))
    arrays, about = load_checkpoint(f"translation_{name}")
    weights = {key: torch.from_numpy(array.astype(np.float32)) for key, array in arrays.items()}
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(
            f"load_translator: task must be the one of seed 0, got {error}"
        ) from error
    return model.eval(), about


def state_arrays(model: torch.nn.Module, dtype: type = np.float16) -> dict[str, np.ndarray]:
    """Return a model's weights as arrays, in half precision unless told otherwise.

    Args:
        model: any module.
        dtype: of the arrays.

    Returns:
        The weights by name.

    >>> sorted(state_arrays(torch.nn.Linear(2, 3)))
    ['bias', 'weight']
    """
    return {
        key: value.detach().cpu().numpy().astype(dtype)
        for key, value in model.state_dict().items()
    }
