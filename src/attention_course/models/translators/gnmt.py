"""Google's translator of 2016, with its wiring whole and its width reduced.

The specification is ``reference.recurrent.gnmt.gnmt_by_loops``; :func:`gnmt_weights` carries
a model's weights over to it.
"""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.recurrent.bahdanau import BahdanauAttention
from attention_course.layers.recurrent.gnmt import ResidualStack, States, TwoWayLSTM
from attention_course.models._build import check_lengths, seeded
from attention_course.models.translators._translator import Translator
from attention_course.models.translators.bahdanau import Memory
from attention_course.reference.recurrent import gnmt as reference

# The bottom decoder layer's output and cell, the states above it, and what it looks at.
_Kept = tuple[tuple[Tensor, Tensor], States | None, Memory]


class GNMT(Translator):
    r"""Eight layers read, eight layers write, and the lowest writer asks.

    .. math:: a_i = \operatorname{attend}(m^1_{i-1};\, x_1, \dots, x_M), \qquad
       m^1_i = \operatorname{LSTM}_1([E_{y_{i-1}}; a_i])

    .. math:: m^l_i = \operatorname{LSTM}_l([x^{l-1}_i; a_i]), \quad
       x^l_i = m^l_i + [l \ge 3]\, x^{l-1}_i, \qquad p(y_i) \propto \exp(W_o x^n_i)

    Args:
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        rng: the generator of the first weights.
        depth: layers of the encoder, and as many of the decoder (the paper's 8).
        width: of every layer, the embeddings and the attention network (1024).
        residual: whether layers from the third on add their output to their input.

    Raises:
        ValueError: if a size is not positive, or there are fewer than two layers.

    Source:
        Wu et al. (2016), section 3. Where the paper is silent: the decoder starts from zeros,
        and the bottom decoder layer sees the context too, as in the authors' published code.

    >>> model = GNMT(6, 7, np.random.RandomState(0), depth=8, width=4)
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> logits, weights = model.follow(source, lengths, torch.tensor([[1, 4], [1, 6]]))
    >>> logits.shape, weights.shape
    (torch.Size([2, 2, 7]), torch.Size([2, 2, 3]))
    """

    def __init__(
        self,
        n_source: int,
        n_target: int,
        rng: np.random.RandomState,
        depth: int = 8,
        width: int = 64,
        residual: bool = True,
    ):
        super().__init__()
        sizes = {"n_source": (n_source, 1), "n_target": (n_target, 1)}
        sizes |= {"depth": (depth, 2), "width": (width, 1)}
        for name, (size, least) in sizes.items():
            if size < least:
                raise ValueError(f"GNMT: {name} must be at least {least}, got {size}")
        self.width, self.depth = width, depth
        with seeded(rng):
            self.E_x = nn.Embedding(n_source, width)
            self.E_y = nn.Embedding(n_target, width)
            self.bottom_encoder = TwoWayLSTM(width, width)
            self.encoder = ResidualStack(2 * width, 0, width, depth, residual)
            self.attention = BahdanauAttention(width, width, width)
            self.bottom_decoder = nn.LSTMCell(2 * width, width)
            self.decoder = ResidualStack(width, width, width, depth, residual)
            self.W_o = nn.Linear(width, n_target)

    def read(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]
    ) -> Memory:
        """Encode the source; return what the decoder may look back at."""
        check_lengths("GNMT", source, lengths)
        x, _ = self.encoder(self.bottom_encoder(self.E_x(source), lengths))
        places = torch.arange(source.shape[1], device=source.device)
        mask = places < lengths.unsqueeze(1)
        return Memory(x, self.attention.keys(x), mask)

    def ask(
        self,
        y: Float[Tensor, "batch width"],
        state: tuple[Tensor, Tensor],
        memory: Memory,
    ) -> tuple[tuple[Tensor, Tensor], Tensor, Tensor]:
        """Take one step of the bottom decoder layer: look with the old output, then move.

        Args:
            y: embedding of the last symbol.
            state: output and cell of the bottom layer before the step.
            memory: what there is to look at.

        Returns:
            The state after the step, the context, the weights.
        """
        context, weights = self.attention(
            state[0], memory.keys, memory.annotations, memory.mask
        )
        return self.bottom_decoder(torch.cat([y, context], -1), state), context, weights

    def follow(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> tuple[Float[Tensor, "batch target symbols"], Float[Tensor, "batch target keys"]]:
        """Return logits and weights of every step, given the true symbol before each.

        Only the bottom layer has to wait for the attention. Once it is through the sentence,
        each layer above runs through it on its own: this is what the wiring was chosen for.
        """
        memory = self.read(source, lengths)
        zero = memory.keys.new_zeros(len(source), self.width)
        state, bottom, contexts, rows = (zero, zero), [], [], []
        for y in self.E_y(target_in).unbind(1):
            state, context, weights = self.ask(y, state, memory)
            bottom.append(state[0])
            contexts.append(context)
            rows.append(weights)
        x, _ = self.decoder(torch.stack(bottom, 1), torch.stack(contexts, 1))
        return self.W_o(x), torch.stack(rows, 1)

    def _begin(self, source: Tensor, lengths: Tensor) -> _Kept:
        memory = self.read(source, lengths)
        zero = memory.keys.new_zeros(len(source), self.width)
        return (zero, zero), None, memory

    def _advance(self, symbol: Tensor, kept: _Kept) -> tuple[Tensor, Tensor, _Kept]:
        state, above, memory = kept
        state, context, weights = self.ask(self.E_y(symbol), state, memory)
        x, above = self.decoder(state[0].unsqueeze(1), context.unsqueeze(1), above)
        return self.W_o(x[:, 0]), weights, (state, above, memory)


def gnmt_weights(model: GNMT) -> reference.GNMTWeights:
    """Copy a model's weights into the arrays that the reference takes.

    Args:
        model: trained or not.

    Returns:
        The weights by name, as float64 if the model is.

    Source:
        Wu et al. (2016), section 3.

    >>> weights = gnmt_weights(GNMT(6, 7, np.random.RandomState(0), depth=8, width=4))
    >>> len(weights.encoder), len(weights.decoder), weights.decoder[7][0].shape
    (7, 8, (16, 8))
    """

    def array(tensor: Tensor) -> np.ndarray:
        return tensor.detach().cpu().numpy().copy()

    def unit(module: nn.Module) -> tuple[np.ndarray, ...]:
        return tuple(array(p) for p in module.parameters())  # W_x, W_h, b_x, b_h

    attention, bottom = model.attention, model.bottom_encoder
    return reference.GNMTWeights(
        E_x=array(model.E_x.weight),
        E_y=array(model.E_y.weight),
        forward=unit(bottom.forward_unit),
        backward=unit(bottom.backward_unit),
        encoder=tuple(unit(layer) for layer in model.encoder.layers),
        W_a=array(attention.W_a.weight),
        U_a=array(attention.U_a.weight),
        v_a=array(attention.v_a.weight)[0],
        decoder=tuple(unit(u) for u in (model.bottom_decoder, *model.decoder.layers)),
        W_o=array(model.W_o.weight),
        b_o=array(model.W_o.bias),
        residual=model.decoder.residual,
    )
