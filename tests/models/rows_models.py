"""The models that follow a source and a target, beside their loops, a row each."""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from rows import by_torch, draws, given, row
from torch import nn

from attention_course import layers
from attention_course import models as m
from attention_course import reference as r
from attention_course.data import pad
from attention_course.models.experiments.attention_today import KINDS as TODAY
from attention_course.models.experiments.attention_today import TodayModel
from attention_course.models.experiments.next_symbol import KINDS as READERS

N_SOURCE, N_TARGET = 11, 8
SOURCES = [[3, 4, 5, 10], [6], [7, 3]]
TARGETS = [[1, 3, 4], [1, 5, 6], [1, 6, 3]]


def padded(sources=SOURCES):
    return tuple(map(torch.from_numpy, pad(sources)))


def build(kind, seed=0, **sizes):
    return kind(N_SOURCE, N_TARGET, rng=np.random.RandomState(seed), **sizes).double()


WIDTHS = {"embedding": 3, "encoder": 4, "decoder": 5, "maxout": 2}
ONE_WIDTH = dict.fromkeys((*WIDTHS, "alignment"), 4)


def bahdanau(kind=m.BahdanauSeq2Seq, **more):
    return build(kind, **WIDTHS | {"alignment": 7} | more)


fixed_context = partial(bahdanau, m.FixedContextSeq2Seq)


def luong(**more):
    return build(m.LuongSeq2Seq, **{"embedding": 3, "width": 4, "longest": 3, "D": 1} | more)


def gnmt(**more):
    return build(m.GNMT, **{"depth": 8, "width": 3} | more)


def attention_only(**more):
    return build(m.AttentionOnlySeq2Seq, **{"width": 8, "n_heads": 2} | more)


def fixed_vector(**more):
    return build(m.FixedVectorSeq2Seq, **{"width": 5} | more)


def transformer(**more):
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 16, "n_layers": 2}
    return build(m.Transformer, **sizes | more)


def language(kind):
    return m.LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 2, kind, 20).double()


def today_of(kind):
    return TodayModel([kind, kind], [9], 9, np.random.RandomState(0)).double()


def next_symbol(kind):
    return m.NextSymbolModel(kind, 9, np.random.RandomState(0), width=6, longest=20).double()


# ---- Beside the loops ----


def follows(build: Callable, name: str) -> Callable:
    """Return the logits and the weights of each sentence, without its padding."""

    def ours(**choices):
        logits, weights = build(**choices).follow(*padded(), torch.tensor(TARGETS))
        return [(logits[i], weights[i, ..., : len(s)]) for i, s in enumerate(SOURCES)]

    ours.__name__ = name
    return ours


def loops(build: Callable, follow: Callable) -> Callable:
    def theirs(**choices):
        model = build(**choices)
        return [follow(s, t, model) for s, t in zip(SOURCES, TARGETS, strict=True)]

    return theirs


def bahdanaus(change=lambda p: p):
    """Bahdanau's loops, with other weights than the model's."""
    return loops(
        bahdanau, lambda s, t, net: r.bahdanau_by_loops(s, t, change(m.bahdanau_weights(net)))
    )


def luongs(change=lambda p: p):
    """Luong's loops, with other weights or choices than the model's."""
    return loops(luong, lambda s, t, net: r.luong_by_loops(s, t, change(m.luong_weights(net))))


LUONG = [
    {"score": "general"},
    {"score": "dot"},
    {"score": "concat"},
    {"score": "location"},
    {"scope": "local-m"},
    {"scope": "local-p"},
    {"scope": "local-p", "score": "concat", "D": 2},
    {"feeding": False},
    {"feeding": False, "scope": "local-m"},
    {"W_c": False},
    {"query": "step before"},
    {"query": "step before", "feeding": False},
    {"layers": 1},
    {"layers": 4},
]


def annotations(**choices):
    """Return what the decoder looks at: the top encoder layer's outputs."""
    found = gnmt(**choices).read(*padded()).annotations
    return [row[: len(s)] for row, s in zip(found, SOURCES, strict=True)]


annotations_by_loops = loops(
    gnmt, lambda s, t, net: r.gnmt_encode_by_loops(s, m.gnmt_weights(net))
)


def with_one_context(source, target, model):
    """Bahdanau's loops with both ends of the source as the context of every step."""
    twin = bahdanau()
    twin.load_state_dict(model.state_dict() | twin.attention.state_dict(prefix="attention."))
    p, rows = m.bahdanau_weights(twin), []
    h = r.annotate_by_loops(source, p.E_x, p.forward, p.backward)
    c, s = np.concatenate([h[-1, :4], h[0, 4:]]), np.tanh(p.W_s @ h[0, 4:] + p.b_s)
    for token in target:
        t = r.maxout(p.U_o @ s + p.V_o @ p.E_y[token] + p.C_o @ c + p.b_o)
        rows.append(p.W_o @ t + p.b_w)
        s = r.gated_step(p.decoder.W @ p.E_y[token] + p.C @ c + p.decoder.b, s, p.decoder.U)
    return np.array(rows), np.ones((len(target), 1))


def encoded(**choices):
    """Return the vectors of FixedVectorSeq2Seq and its logits."""
    model = fixed_vector(**choices)
    contexts = model.encode(*padded())
    return contexts, model.decode(contexts, torch.tensor(TARGETS))


def by_gru(**choices):
    """Return the same by the loops of the reference."""
    p = {n: x.detach().numpy() for n, x in fixed_vector(**choices).named_parameters()}
    reader, writer = (
        [x for n, x in p.items() if n.startswith(part)] for part in ("encoder", "decoder")
    )
    contexts = [r.encode_by_loops(s, p["source_embedding.weight"], reader) for s in SOURCES]
    out = p["output.weight"], p["output.bias"]
    logits = [
        r.decode_by_loops(c, t, p["target_embedding.weight"], writer, *out)
        for c, t in zip(contexts, TARGETS, strict=True)
    ]
    return np.array(contexts), np.array(logits)


TAGGED = [3, 7, 10, 4]


def tags(seed=0):
    return m.RecurrentTagger(11, 5, np.random.RandomState(seed)).double()(
        torch.tensor([TAGGED])
    )


def tags_by_loops(seed=0):
    net, h, rows = (
        m.RecurrentTagger(11, 5, np.random.RandomState(seed)).double(),
        np.zeros(5),
        [],
    )
    gru = [p.detach().numpy() for p in net.gru.parameters()]
    for symbol in TAGGED:
        h = r.gru_step(net.embedding.weight.detach().numpy()[symbol], h, *gru)
        rows.append(net.output.weight.detach().numpy() @ h + net.output.bias.detach().numpy())
    return np.array([rows])


REAL = [7, 4, 6]  # words of each sentence
SEEN = torch.arange(7) < torch.tensor(REAL)[:, None]
X, Y = (torch.from_numpy(x) for x in draws(1, (3, 7, 16), (3, 5, 16)))


def torchs(before):
    model = nn.Transformer(16, 4, 2, 3, 32, 0.0, batch_first=True, norm_first=before).double()
    for i, p in enumerate(model.parameters()):
        p.data = torch.from_numpy(draws(i, p.shape)[0] * 0.3)
    return model


def by_torchs_own(before):
    future, hidden = ~torch.ones(5, 5, dtype=torch.bool).tril(), ~SEEN
    masks = {"src_key_padding_mask": hidden, "memory_key_padding_mask": hidden}
    return torchs(before)(X, Y, tgt_mask=future, **masks)


def encoder_and_decoder(before):
    return m.from_torch(torchs(before))(X, Y, SEEN)


def blocks_by_loops(before):
    net = m.from_torch(torchs(before))
    parts = (
        m.blocks_of(net.encoder),
        m.blocks_of(net.decoder),
        [m.norm_of(end) for end in net.ends],
    )
    pairs = [(X[i, :n].numpy(), Y[i].numpy()) for i, n in enumerate(REAL)]
    return np.array([r.encoder_decoder_by_loops(*pair, *parts) for pair in pairs])


LOOKED = draws(0, (2, 5, 3))[0]


def reader(kind):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return kind(3, 4, 6).double() if kind is layers.LSTMN else kind(3, 4).double()


PAST = np.tri(5, dtype=bool)


def tapes_by_loops(x):
    p = {n: w.detach().numpy() for n, w in reader(layers.LSTMN).named_parameters()}
    scoring = [p[f"{name}.weight"] for name in ("W_h", "W_x", "W_summary")]
    weights = r.LSTMNWeights(*scoring, p["v.weight"][0], p["W.weight"], p["W.bias"])
    states, looked = zip(*(r.lstmn_by_loops(list(row), weights) for row in x), strict=True)
    return np.array(states), np.array(looked)


def tapes(x):
    return reader(layers.LSTMN)(x)


def the_last_place_alone(x):
    module = reader(layers.LSTMN)
    module.look_back = lambda asked, keys, tape: (tape[-1], asked.new_ones(2, len(tape)))
    return module(x)[0]


def by_torchs_lstm(x):
    module, lstm = reader(layers.LSTMN), nn.LSTM(3, 4, batch_first=True, dtype=torch.double)
    recurrent, inputs = module.W.weight.data.split([4, 3], dim=1)
    arrays = inputs, recurrent, module.W.bias.data, torch.zeros(16).double()
    for parameter, array in zip(lstm.parameters(), arrays, strict=True):
        parameter.data = array
    return lstm(x)[0]


def causal_head(x):
    return reader(m.CausalHead)(x)


def head_by_reference(x, mask=PAST):
    q, k, v = (getattr(reader(m.CausalHead), n).weight.detach().numpy().T for n in NAMES)
    return r.scaled_dot_product_attention(x @ q, x @ k, x @ v, np.array([mask] * len(x)))


NAMES = ("W_q", "W_k", "W_v")
READ = np.array([[3, 5, 4, 8, 7], [6, 3, 3, 1, 4]])


def reads(symbols):
    return next_symbol("head").follow(symbols)


def reads_by_reference(symbols):
    p = {n: x.detach().numpy() for n, x in next_symbol("head").named_parameters()}
    x = p["E.weight"][symbols] + p["positions.weight"][: symbols.shape[1]]
    q, k, v = (x @ p[f"core.{name}.weight"].T for name in NAMES)
    h, weights = r.scaled_dot_product_attention(q, k, v, np.array([PAST] * len(x)))
    return h @ p["W_o.weight"].T + p["W_o.bias"], weights


def todays(symbols):
    return today_of("full")(symbols)


def by_todays_parts(symbols):
    net, mask = today_of("full"), torch.from_numpy(PAST)
    x = net.tables[0](symbols)
    for block in net.blocks:
        z = block.norms[0](x)
        x = x + block.attention.look(z, block.attention.keys_and_values(z), mask)[0]
        x = x + block.feed_forward(block.norms[1](x))
    return net.end(x)


ROWS = [
    *(
        row(
            encoder_and_decoder, by_torchs_own, blocks_by_loops, draws=[given(before)],
            part="before" if before else "after",
        )
        for before in (False, True)
    ),
    row(by_torch(tapes), tapes_by_loops, draws=[given(LOOKED)]),
    row(
        by_torch(the_last_place_alone), by_torch(by_torchs_lstm), draws=[given(LOOKED)],
    ),
    row(by_torch(reads), reads_by_reference, draws=[given(READ)]),
    row(by_torch(todays), by_torch(by_todays_parts), draws=[given(READ)]),
    row(
        by_torch(causal_head), head_by_reference, draws=[given(LOOKED)],
    ),
    row(
        follows(bahdanau, "BahdanauSeq2Seq"),
        bahdanaus(),
        draws=[given(seed=seed, **sizes) for seed in (0, 1) for sizes in ({}, ONE_WIDTH)],
    ),
    row(
        follows(fixed_context, "FixedContextSeq2Seq"), loops(fixed_context, with_one_context),
        draws=[given()],
    ),
    row(
        follows(luong, "LuongSeq2Seq"), luongs(),
        draws=[*(given(**c) for c in LUONG),
               *(given(seed=1, embedding=n, score="concat") for n in (3, 4))],
    ),
    row(
        follows(gnmt, "GNMT"),
        loops(gnmt, lambda s, t, net: r.gnmt_by_loops(s, t, m.gnmt_weights(net))),
        draws=[given(depth=n, residual=x, seed=n) for n in (2, 3, 8) for x in (True, False)],
    ),
    row(
        annotations, annotations_by_loops, draws=[given()],
    ),
    row(
        follows(attention_only, "AttentionOnlySeq2Seq"),
        loops(attention_only, lambda s, t, net: r.attention_only_by_loops(
            s, t, m.attention_only_weights(net), net.ahead
        )),
        draws=[given(ahead=n) for n in (0, 1, 48)],
    ),
    row(encoded, by_gru, draws=[given(seed=seed) for seed in range(3)]),
    row(tags, tags_by_loops, draws=[given()]),
]  # fmt: skip

# ---- What each of them promises ----

TRANSLATORS: dict[str, Callable] = {
    "BahdanauSeq2Seq": bahdanau,
    "FixedContextSeq2Seq": fixed_context,
    "FixedVectorSeq2Seq": fixed_vector,
    "GNMT": gnmt,
    "AttentionOnlySeq2Seq": attention_only,
    **{f"LuongSeq2Seq {' '.join(map(str, c.values()))}": partial(luong, **c) for c in LUONG},
    **{f"Transformer {kind}": partial(transformer, positions=kind) for kind in layers.KINDS},
    "Transformer before": partial(transformer, norm_first=True),
}


CAUSAL: dict[str, Callable] = {
    "RecurrentTagger": lambda: m.RecurrentTagger(9, 5, np.random.RandomState(0)).double(),
    **{f"LanguageModel {kind}": partial(language, kind) for kind in layers.KINDS},
    **{f"TodayModel {kind}": partial(today_of, kind) for kind in TODAY},
    **{f"NextSymbolModel {kind}": partial(next_symbol, kind) for kind in READERS},
}
