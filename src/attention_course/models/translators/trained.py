"""The translators: one that looks back, one that cannot, and one without recurrence."""

from collections.abc import Callable

import numpy as np
import torch

from attention_course.data.packed import pack_of_the_world, unpack_translator
from attention_course.data.parallel import TranslationTask
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
IN_TORCH = ("world_attention", "world_fixed", "world_transformer", "world_transformer_2")


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


def load_translator(name: str) -> BahdanauSeq2Seq | Transformer:
    """Load a translator of the small world, from English to French, as the pages have it.

    Args:
        name: "world_attention", "world_fixed", "world_transformer" or
            "world_transformer_2".

    Returns:
        The model, with the weights that eight bits hold.

    Raises:
        ValueError: if the name is another.

    Source:
        ``data/checkpoints/small_world/PROVENANCE.md``.

    >>> len(load_translator("world_transformer_2").core.decoder)
    2
    """
    if name not in IN_TORCH:
        raise ValueError(f"load_translator: name must be one of {IN_TORCH}, got {name!r}")
    packed, _ = unpack_translator(pack_of_the_world(name))
    own = {k: torch.from_numpy(a) for k, a in packed.items() if not k.startswith("means.")}
    n_words = len(own["E_x.weight"]), len(own["E_y.weight"])
    rng = np.random.RandomState(0)
    model: BahdanauSeq2Seq | Transformer
    if "b" in own:
        d_ff, d_model = own["core.encoder.0.feed_forward.W_1.weight"].shape
        n_layers = sum(key.endswith("cross.W_q.weight") for key in own)
        model = Transformer(*n_words, rng, d_model=d_model, d_ff=d_ff, n_layers=n_layers)
    else:
        fixed = name == "world_fixed"
        widths = {
            "embedding": own["E_x.weight"].shape[1],
            "encoder": own["encoder.forward_unit.U"].shape[1],
            "decoder": own["decoder.U"].shape[1],
            "alignment": 1 if fixed else len(own["attention.W_a.weight"]),
            "maxout": own["W_o.weight"].shape[1],
        }
        kind = FixedContextSeq2Seq if fixed else BahdanauSeq2Seq
        model = kind(*n_words, rng, **widths)
    model.load_state_dict(own)
    return model.eval()


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
