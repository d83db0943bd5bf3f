"""Cut parts of a trained model, and put something in their place.

A model of language or of pictures is cut in its blocks, a translator in its decoder's
cross-attention and feed-forward parts; heads of cross-attention are its heads.

What a cut costs depends on the blade. Zero also takes away what the part always gives, which
the next parts count on; the part's mean over other sentences leaves that, and takes what
depends on the sentence; another sentence's output leaves its usual range as well.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TypeAlias, cast

import torch
from torch import Tensor, nn

from attention_course.layers.transformer.transformer_block import (
    BlockAttention,
    TransformerBlock,
)
from attention_course.models.experiments.vision_transformer import VisionTransformer
from attention_course.models.language import LanguageModel
from attention_course.models.translators.transformer import Transformer

Model: TypeAlias = LanguageModel | VisionTransformer | Transformer
BLADES = ("zero", "mean", "other")


def part_names(model: Model) -> list[str]:
    """Return what can be cut.

    >>> import numpy as np
    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> part_names(model)
    ['head-1-1', 'head-1-2', 'attention-1', 'feed-forward-1', 'layer-1']
    """
    numbered = [*enumerate(_blocks(model), start=1)]
    heads = [
        f"head-{layer}-{head}"
        for layer, block in numbered
        for head in range(1, _attention(block).n_heads + 1)
    ]
    wholes = ["attention", "feed-forward"]
    if not isinstance(model, Transformer):  # whose layers have a third part, which is not cut
        wholes.append("layer")
    return heads + [f"{part}-{layer}" for part in wholes for layer, _ in numbered]


@torch.no_grad()
def part_outputs(model: Model, words: Tensor) -> dict[str, Tensor]:
    """Return what each head, attention and feed-forward part gives for each word.

    Args:
        model: the model; of a translator only :func:`keep_outputs` tells.
        words: (sentences, n), or pictures.

    Returns:
        By the part's name (sentences, n, width); of a head the context before W_o.

    >>> import numpy as np
    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> {name: x.shape[-1] for name, x in part_outputs(model, torch.tensor([[3, 4]])).items()}
    {'head-1-1': 4, 'head-1-2': 4, 'attention-1': 8, 'feed-forward-1': 8}
    """
    with keep_outputs(model) as found:
        model(words)
    return found


@contextmanager
def keep_outputs(model: Model) -> Iterator[dict[str, Tensor]]:
    """Keep what the parts of a model gave when it last ran, while the context is open.

    Args:
        model: one whose parts can be cut.

    Returns:
        By the part's name (batch, n, width), filled by each run; of a head the context
        before W_o.
    """
    found: dict[str, Tensor] = {}

    def keep(
        layer: int, block: TransformerBlock
    ) -> Iterator[torch.utils.hooks.RemovableHandle]:
        attention = _attention(block)

        def context(module: nn.Module, given: tuple[Tensor, ...]) -> None:
            for head, part in enumerate(given[0].chunk(attention.n_heads, -1), start=1):
                found[f"head-{layer}-{head}"] = part

        def output(name: str, x: Tensor) -> None:
            found[f"{name}-{layer}"] = x

        yield attention.W_o.register_forward_pre_hook(context)
        yield attention.W_o.register_forward_hook(lambda m, i, x: output("attention", x))
        yield block.feed_forward.register_forward_hook(
            lambda m, i, x: output("feed-forward", x)
        )

    with ExitStack() as stack:
        for layer, block in enumerate(_blocks(model), start=1):
            for handle in keep(layer, block):
                stack.callback(handle.remove)
        yield found


def part_means(model: Model, batches: Iterable[Tensor]) -> dict[str, Tensor]:
    """Return the mean of each part's output over all words of some sentences.

    Args:
        model: the model.
        batches: sentences of one length each, (sentences, n), or pictures.

    Returns:
        A vector for each name of :func:`part_outputs`.
    """
    sums: dict[str, Tensor] = {}
    seen = 0
    for words in batches:
        found = part_outputs(model, words)
        seen += next(iter(found.values()))[..., 0].numel()
        for name, x in found.items():
            sums[name] = sums.get(name, 0) + x.sum((0, 1))
    if not seen:
        raise ValueError("part_means: batches must hold at least one sentence, got none")
    return {name: x / seen for name, x in sums.items()}


@contextmanager
def cut_parts(
    model: Model, parts: Collection[str], put: Mapping[str, Tensor] | None = None
) -> Iterator[None]:
    """Cut some parts of a model, for as long as the context is open.

    Args:
        model: the model; it is whole again afterwards.
        parts: some of :func:`part_names`; "layer-2" is attention and feed-forward part of it.
        put: what is in their place, by the names of :func:`part_outputs`: their means, or
            what they give for other sentences of the same shape; zeros unless given. It is
            looked up at each run, so that it can change from step to step.

    Raises:
        ValueError: if the model has no part of that name.

    >>> import numpy as np
    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> words, other = torch.tensor([[3, 4]]), torch.tensor([[3, 5]])
    >>> with torch.no_grad(), cut_parts(model, ["layer-1"], part_outputs(model, other)):
    ...     logits = model(words)
    """
    if unknown := {*parts} - {*part_names(model)}:
        raise ValueError(
            f"cut_parts: parts must be some of {part_names(model)}, got {sorted(unknown)}"
        )

    def instead(name: str, x: Tensor) -> Tensor:
        return torch.zeros_like(x) if put is None else put[name].expand_as(x)

    def hooks(
        layer: int, block: TransformerBlock
    ) -> Iterator[torch.utils.hooks.RemovableHandle]:
        attention = _attention(block)

        def context(module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor]:
            pieces = enumerate(given[0].chunk(attention.n_heads, -1), start=1)
            named = ((f"head-{layer}-{head}", x) for head, x in pieces)
            return (torch.cat([instead(n, x) if n in parts else x for n, x in named], -1),)

        yield attention.W_o.register_forward_pre_hook(context)
        for name, module in (
            ("attention", attention.W_o),
            ("feed-forward", block.feed_forward),
        ):
            if {f"{name}-{layer}", f"layer-{layer}"} & {*parts}:
                whole = f"{name}-{layer}"
                yield module.register_forward_hook(lambda m, i, x, n=whole: instead(n, x))

    with ExitStack() as stack:
        for layer, block in enumerate(_blocks(model), start=1):
            for handle in hooks(layer, block):
                stack.callback(handle.remove)
        yield


def _blocks(model: Model) -> Iterable[TransformerBlock]:
    blocks = model.core.decoder if isinstance(model, Transformer) else model.blocks
    return cast(Iterable[TransformerBlock], blocks)


def _attention(block: TransformerBlock) -> BlockAttention:
    return block.attention if block.cross is None else block.cross
