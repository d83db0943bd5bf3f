"""SmolLM2, a causal language model, as the course's own with three parts exchanged."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.transformer.multi_head import share_keys_values
from attention_course.layers.transformer.transformer_block import (
    BlockAttention,
    TransformerBlock,
)
from attention_course.models.experiments.longer_positions import SlowedRotary
from attention_course.models.language import LanguageModel
from attention_course.models.pretrained.byte_pairs import BytePairs
from attention_course.models.pretrained.files import find_model
from attention_course.models.pretrained.formats import read_gguf


class Read(NamedTuple):
    """What a language model makes of a text, and where its heads looked."""

    logits: Float[Tensor, "n symbols"]
    weights: Float[Tensor, "layers heads n n"]


class GatedFeedForward(nn.Module):
    r"""SwiGLU: one half of what is computed decides how much of the other half passes.

    .. math:: \operatorname{FFN}(x) =
       \bigl(\operatorname{SiLU}(x W_g) \odot x W_1\bigr)\, W_2

    Args:
        d_model: width of the vectors.
        d_ff: width in between.

    Source:
        Shazeer (2020), equation 6.

    >>> GatedFeedForward(6, 24)(torch.ones(5, 6)).shape
    torch.Size([5, 6])
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.W_g = nn.Linear(d_model, d_ff, bias=False)
        self.W_1 = nn.Linear(d_model, d_ff, bias=False)
        self.W_2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Return as many vectors."""
        return self.W_2(nn.functional.silu(self.W_g(x)) * self.W_1(x))


def llama_like(
    n_symbols: int,
    d_model: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    n_layers: int,
    base: float = 1e5,
    epsilon: float = 1e-5,
) -> LanguageModel:
    """Return the course's language model with grouped queries, SwiGLU and RMSNorm.

    Args:
        n_symbols: size of the vocabulary.
        d_model: width of the vectors.
        n_heads: heads of each block.
        n_kv_heads: how many of them have keys and values of their own.
        d_ff: width inside the feed-forward parts.
        n_layers: blocks.
        base: of the rotary positions' speeds.
        epsilon: of the normalisations.

    Source:
        Touvron et al. (2023), section 2.2; Ainslie et al. (2023) for grouped queries.

    >>> llama_like(9, 16, 4, 2, 24, 1)(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 9])
    """
    d_k = d_model // n_heads
    larger = (base / 1e4) ** ((d_k - 2) / d_k)  # makes the larger base of SlowedRotary this one
    rotary = SlowedRotary("larger base", larger, 1)
    model = LanguageModel(n_symbols, np.random.RandomState(0), d_model, n_heads, d_ff, n_layers)
    model.positions = rotary
    for block in _blocks(model):
        block.attention = BlockAttention(d_model, n_heads, bias=False, positions=rotary)
        share_keys_values(block.attention, n_kv_heads, "first")
        block.feed_forward = GatedFeedForward(d_model, d_ff)  # type: ignore[assignment]
        block.norms = nn.ModuleList(nn.RMSNorm(d_model, eps=epsilon) for _ in range(2))
    model.end = nn.RMSNorm(d_model, eps=epsilon)  # type: ignore[assignment]
    return model


def load_smollm2() -> tuple[LanguageModel, BytePairs]:
    """Load SmolLM2-135M-Instruct: 30 layers, 9 heads of queries, 3 of keys and values.

    Returns:
        The model, in float32 made of four and eight bits, and its tokeniser.

    Raises:
        MissingModelError: if it is not installed as pinned.

    Source:
        Ben Allal et al. (2025).
    """
    header, arrays = read_gguf(find_model("SmolLM2"))
    with torch.device("meta"):  # nothing is drawn that is overwritten at once
        model = llama_like(49152, 576, 9, 3, 1536, 30)
    parts = {
        ours: torch.from_numpy(np.array(arrays[theirs])) for ours, theirs in _names(30).items()
    }
    # Ours multiplies embeddings by sqrt(d_model), theirs does not.
    parts["E.weight"] = parts["E.weight"] * 576**-0.5
    parts["end.weight"] = parts["end.weight"] * 576**0.5
    model.load_state_dict(parts, assign=True)
    model.eval().requires_grad_(False)
    tokens, merges = (header[f"tokenizer.ggml.{part}"] for part in ("tokens", "merges"))
    return model, BytePairs(tokens, merges)


def read_tokens(model: LanguageModel, tokens: Int[Tensor, " n"]) -> Read:
    """Read a text at once, as ``LanguageModel.step`` does, and keep the weights.

    Args:
        model: any of the course's language models.
        tokens: the text.

    Returns:
        Logits of what follows each token, and the weights of all heads.

    >>> read_tokens(llama_like(9, 16, 4, 2, 24, 1), torch.tensor([1, 2, 3])).weights.shape
    torch.Size([1, 4, 3, 3])
    """
    if not len(tokens):
        raise ValueError("read_tokens: tokens must not be empty, got none")
    n = len(tokens)
    x = model.positions.add(model.E(tokens[None]) * model.E.embedding_dim**0.5)
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    found = []
    for block in model.blocks:
        x, _, weights = block(x, mask)
        found.append(weights[0])
    return Read((model.end(x) @ model.E.weight.T)[0], torch.stack(found))


def _blocks(model: LanguageModel) -> list[TransformerBlock]:
    return [block for block in model.blocks if isinstance(block, TransformerBlock)]


def _names(n_layers: int) -> dict[str, str]:
    """Our name of each part, and the file's."""
    block = {
        "attention.W_q": "attn_q",
        "attention.W_k": "attn_k",
        "attention.W_v": "attn_v",
        "attention.W_o": "attn_output",
        "norms.0": "attn_norm",
        "norms.1": "ffn_norm",
        "feed_forward.W_g": "ffn_gate",
        "feed_forward.W_1": "ffn_up",
        "feed_forward.W_2": "ffn_down",
    }
    stem = {"E.weight": "token_embd.weight", "end.weight": "output_norm.weight"}
    return stem | {
        f"blocks.{n}.{ours}.weight": f"blk.{n}.{theirs}.weight"
        for n in range(n_layers)
        for ours, theirs in block.items()
    }
