"""How every public layer, model and function of tensors is made and called, a row each.

``test_devices`` runs all rows; other tests take the row of the module that they look at.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

import attention_course.layers
import attention_course.models


def find(take: Callable[[str, Any], bool], *packages: Any) -> dict[str, Any]:
    """Find what is taken among the public things that the modules of packages define."""
    found = {}
    for package in packages:
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if "._" not in info.name:
                for name, thing in vars(importlib.import_module(info.name)).items():
                    ours = getattr(thing, "__module__", "") == info.name and name[0] != "_"
                    if ours and take(name, thing):
                        found[name] = thing
    return found


def takes_a_tensor(name: str, function: Any) -> bool:
    if not inspect.isfunction(function) or name not in attention_course.layers.__all__:
        return False
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return bool(first) and getattr(first.annotation, "array_type", first.annotation) is Tensor


FOUND: dict[str, type[nn.Module]] = find(
    lambda _, thing: inspect.isclass(thing) and issubclass(thing, nn.Module),
    attention_course.layers,
    attention_course.models,
)
FUNCTIONS: dict[str, Callable] = find(takes_a_tensor, attention_course.layers)
LOSSES: dict[str, Callable] = find(
    lambda name, thing: name.endswith("_loss") and inspect.isfunction(thing),
    attention_course.models,
)


class Case(NamedTuple):
    """A row: what is made, with which sizes and choices, and what it is called with."""

    name: str
    inputs: tuple
    sizes: tuple
    choices: dict[str, Any]
    call: Callable[..., Any]

    @property
    def id(self) -> str:
        told = [*self.sizes, *self.choices.values()]
        flat = [x[0] if isinstance(x, list) else x for x in told]
        return " ".join([self.name, *(x for x in flat if isinstance(x, str))])

    def build(self) -> nn.Module:
        """Make the module anew, always with the same weights."""
        torch.manual_seed(0)
        sizes, choices = map(fresh, self.sizes), {k: fresh(x) for k, x in self.choices.items()}
        if self.name in FUNCTIONS:
            return Called(nn.Identity(), lambda _, *x: FUNCTIONS[self.name](*x, **choices))
        module = FOUND[self.name](*sizes, **choices)
        return module if self.call is nn.Module.__call__ else Called(module, self.call)

    def give(self) -> list:
        """Return the inputs; a generator among them is new."""
        return [fresh(x) for x in self.inputs]


class Called(nn.Module):
    """A module that is not used by calling it, called in its own way."""

    def __init__(self, part: nn.Module, call: Callable[..., Any]):
        super().__init__()
        self.part, self.call = part, call

    def forward(self, *inputs: Any) -> Any:
        return self.call(self.part, *inputs)


RNG = np.random.RandomState(0)  # in a row: a new generator each time


def fresh(x: Any) -> Any:
    """Return what a row's entry stands for."""
    if isinstance(x, Case):
        return x.build()
    return np.random.RandomState(0) if x is RNG else x


def slopes_agree(row: Case) -> bool:
    """Compare the gradients by all inputs and parameters with finite differences."""
    module = row.build().double()
    inputs = [x.double() if getattr(x, "is_floating_point", bool)() else x for x in row.give()]
    moved = [
        i for i, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.is_floating_point()
    ]
    learnt = [p for p in module.parameters() if p.requires_grad]

    def outputs(*leaves):
        given = list(inputs)
        for i, x in zip(moved, leaves, strict=False):
            given[i] = x
        found = torch.utils._pytree.tree_leaves(module(*given))
        return [x for x in found if isinstance(x, torch.Tensor) and x.requires_grad]

    leaves = [inputs[i].clone().requires_grad_() for i in moved]
    return torch.autograd.gradcheck(outputs, (*leaves, *learnt), fast_mode=True)


def case(name: str, *inputs: Any, of: tuple = (), call: Any = nn.Module.__call__, **choices):
    return Case(name, inputs, of, choices, call)


def f(*shape: int) -> Tensor:
    """Draw numbers from a seed that is the shape."""
    return torch.from_numpy(np.random.RandomState(sum(shape)).standard_normal(shape)).float()


def s(*shape: int, below: int = 6) -> Tensor:
    """Draw symbols."""
    return torch.from_numpy(np.random.RandomState(sum(shape)).randint(3, below, shape))


def look(part, x, mask=None):
    return part.look(x, part.keys_and_values(x), mask)


def step(part, x, state):
    return part.step(part.W(x), state)


def place(part, x):
    """Positions are added, turned and a bias."""
    return [part.add(x, 2), part.turn(x, 2), part.bias(3, 5, 2)]


QKV = f(2, 5, 4), f(2, 7, 4), f(2, 7, 3)
SAME = f(2, 7, 4), f(2, 7, 4), f(2, 7, 3)  # of one length
LATENTS = (f(2, 3, 5, 4), f(2, 3, 5, 2), f(2, 7, 6), f(2, 7, 2), f(3, 6, 4), f(3, 6, 5))
PAIR = f(2, 5, 4), f(2, 7, 4)
MASK = torch.arange(7) < 5
EACH, REAL = MASK.expand(2, 7), MASK.expand(2, 1, 1, 7)
CAUSAL = torch.ones(7, 7, dtype=torch.bool).tril()
PLACES = torch.tensor([[1.1, 2.5, 3.2, 4.2, 6.3], [0.2, 1.1, 5.5, 5.1, 6.4]])
LENGTHS = torch.tensor([5, 3])
SEQ2SEQ = s(2, 5), LENGTHS, s(2, 4)
X, MAP, IMAGE = f(2, 7, 8), f(2, 4, 3, 5), f(2, 28, 28)
LOOKED_UP = s(2, 16), s(2, 16), s(2)
WIDTHS = {"embedding": 3, "encoder": 4, "decoder": 8, "maxout": 2}
ALIBI, ROTARY = case("ALiBiPositions", of=(2,)), case("RotaryPositions")
TABLES = dict.fromkeys(("SinusoidalPositions", "LearnedPositions"), (8, 9))
TABLES |= {"Positions": (), "RotaryPositions": (), "ALiBiPositions": (2,)}
ACTS = {"part": torch.tanh, "norm": torch.sigmoid}
COPIERS = ("full", "shared", "latent", "window", "sparse", "gated delta", "qk-norm")
GRID = case("GridEncoder", f(2, 3, 28, 56), of=(6,))

CASES = [
    case("scaled_dot_product_attention", *QKV, MASK),
    case("attend", f(2, 5, 7), f(2, 7, 3), MASK),
    case("masked_softmax", f(2, 5, 7), MASK),
    case("local_weights", f(2, 5, 7), PLACES, D=2),
    case("gated_step", f(2, 12), f(2, 4), f(4, 12)),
    case("reverse_rows", f(2, 5, 4), LENGTHS),
    case("take", f(2, 7, 3), s(2, 5)),
    case("reinforce_loss", f(2, 7).softmax(-1), s(2), f(2), baseline=0.5),
    case("sliding_window_attention", *SAME, width=3),
    case("linear_attention", *SAME, causal=True),
    case("linear_in_chunks", *(x.sigmoid() for x in SAME)),
    case("latent_attention", *LATENTS),
    case("absorbed_latent_attention", *LATENTS),
    case("native_sparse_attention", *SAME, f(2, 7, 3), f(3), chosen=2, width=2),
    case("summaries", f(2, 7, 3), f(3)),
    case("chosen_mask", f(2, 5, 4), size=2, chosen=2, n_keys=7),
    case("post_norm", f(2, 5, 4), **ACTS),
    case("pre_norm", f(2, 5, 4), **ACTS),
    case("Attention", *QKV, MASK),
    case("DotScore", *PAIR),
    case("ScaledDotScore", *PAIR),
    case("AdditiveScore", *PAIR, of=(4, 4, 6)),
    case("GeneralScore", *PAIR, of=(4, 4)),
    case("ConcatScore", *PAIR, of=(4, 4, 6)),
    case("LocationScore", *PAIR, of=(4, 9)),
    case("CosineScore", *PAIR, of=(2.0,)),
    case("CosineScore", *PAIR, of=(2.0, 4)),
    case("KernelScore", *PAIR),
    case("BahdanauAttention", f(2, 4), f(2, 7, 5), f(2, 7, 6), EACH, of=(4, 6, 5)),
    case("GatedUnit", f(2, 3), f(2, 4), of=(3, 4), call=step),
    case("TwoWayEncoder", f(2, 7, 4), EACH, of=(4, 5)),
    case("BlockAttention", X, MASK, of=(8, 2), call=look, positions=case("Positions")),
    case("BlockAttention", X, MASK, of=(8, 2), call=look, positions=ROTARY),
    case("BlockAttention", X, MASK, of=(8, 2), call=look, positions=ALIBI),
    case("SlowedRotary", f(2, 2, 3, 8), of=("YaRN", 4.0, 32), call=place),
    case("LatentAttention", X, CAUSAL, of=(8, 2, 6, 2), call=look, positions=ROTARY),
    case("NativeSparseAttention", X, CAUSAL, of=(8, 2, 3, 2, 2), call=look, positions=ROTARY),
    case("WindowedAttention", X, CAUSAL, of=(8, 2, 3), call=look, positions=ROTARY),
    case("SteadyAttention", X, MASK, of=(8, 2), call=look, norm=True, cap=2.0),
    case("SteadyAttention", X, MASK, of=(8, 2), call=look, gate=True),
    case("RecurrentAttention", X, MASK, of=(8, 2), call=look, decay=True, short=3),
    *(case("TodayModel", s(2, 20), s(2, 20), of=([k], [9, 9], 9, RNG)) for k in COPIERS),
    case("FeedForward", f(2, 5, 4), of=(4, 6)),
    case("SmoothFeedForward", f(2, 5, 4), of=(4, 6)),
    case("GatedFeedForward", f(2, 5, 4), of=(4, 6)),
    case("PlainBlock", X, MASK, of=(8, 2, 6)),
    case("TransformerBlock", X, MASK, of=(8, 2, 6)),
    case("CrossAttention", f(2, 5, 8), f(2, 7, 4), None, EACH, of=(8, 4, 2)),
    case("HardAttention", *QKV, RNG, MASK),
    case("HardAttention", *QKV, RNG, MASK, call=lambda part, *x: part.eval()(*x)),
    case("GumbelAttention", *QKV, RNG, MASK, of=(0.7,)),
    case("PredictedCentre", f(2, 5, 4), torch.tensor([7, 4]), of=(4, 3)),
    case("LocalAttention", *QKV, MASK, of=(case("DotScore"), 2)),
    case(
        "LocalAttention",
        *(*QKV, MASK),
        of=(case("DotScore"), 2, case("PredictedCentre", of=(4, 3))),
    ),
    case("TwoWayLSTM", f(2, 5, 4), LENGTHS, of=(4, 3)),
    case("ResidualStack", f(2, 5, 4), of=(4, 0, 3, 4)),
    case("LSTMN", f(2, 5, 4), of=(4, 3, 2)),
    case("MultiHeadAttention", f(2, 5, 8), X, MASK, of=(8, 2)),
    case("MultiHeadAttention", X, None, MASK, torch.arange(4) != 1, of=(8, 4, 2)),
    *(case(n, f(2, 2, 3, 8), of=sizes, call=place) for n, sizes in TABLES.items()),
    case("SelfAttention", f(2, 7, 4), MASK, of=(4, 3)),
    case("BahdanauSeq2Seq", *SEQ2SEQ, of=(6, 7, RNG), **WIDTHS),
    case("FixedContextSeq2Seq", *SEQ2SEQ, of=(6, 7, RNG), **WIDTHS),
    case("EncoderDecoder", X, f(2, 5, 8), EACH, of=(8, 2, 6, 1, 1)),
    case("FixedVectorSeq2Seq", *SEQ2SEQ, of=(6, 7, 4, RNG)),
    case("GNMT", *SEQ2SEQ, of=(6, 7, RNG, 3, 4)),
    *(
        case("Captioner", f(2, 3, 28, 56), s(2, 13), of=(way, RNG, GRID, 9, 6, 4, 5))
        for way in ("soft", "hard", "even")
    ),
    case("BidirectionalEncoder", s(5), of=(6, 8, 2, 6, 2)),
    *(
        case("LanguageModel", s(2, 5), of=(6, RNG, 8, 2, 6, 1, kind))
        for kind in ("none", "sinusoidal", "learned", "rotary", "alibi")
    ),
    case("DraftHeads", f(2, 4), s(2, 2), of=(f(6, 4), RNG, "apart", 2)),
    case("DraftHeads", f(2, 4), s(2, 2), of=(f(6, 4), RNG, "chained", 2)),
    case("SpatialGate", MAP, of=(4,)),
    case("SqueezeAndExcitation", MAP, of=(4, 2)),
    *(case("NonLocalBlock", MAP, of=(4, 2, kind)) for kind in ("softmax", "dot product")),
    *(
        case("AttentiveConvNet", IMAGE, of=(kind, RNG))
        for kind in ("softmax", "none", "doubled", "spatial", "channel")
    ),
    case("VisionTransformer", IMAGE, of=(RNG,), positions="learned"),
    case("VisionTransformer", IMAGE, of=(RNG,), positions="sinusoidal"),
    *(case("Asker", f(2, 42, 42), s(2, 3), of=(k, RNG, 8, 6)) for k in ("two looks", "even")),
    *(case("Glimpser", f(2, 56, 56), of=(k, RNG, 8, 6)) for k in ("soft", "chosen")),
    case("GarmentEncoder", f(2, 9, 196), of=(6,)),
    case("Detector", f(2, 42, 42), of=(RNG, 8)),
    case("Look", f(2, 5, 8), f(2, 9, 8), of=(8,)),
    case("DetectorLayer", f(2, 8, 8), f(2, 9, 8), of=(8,)),
    case("SmallConvNet", IMAGE, of=(RNG,)),
    case("CallReader", s(2, 16), of=(RNG,), sink=True),
    case("LookupModel", *LOOKED_UP, of=("additive", 4, RNG)),
    *(
        case("LuongSeq2Seq", *SEQ2SEQ, of=(6, 7, RNG, 3, 4), scope=scope, score=score, D=2)
        for scope, score in (("global", "location"), ("local-m", "concat"), ("local-p", "dot"))
    ),
    case("CausalHead", f(2, 5, 4), of=(4, 3)),
    *(
        case("NextSymbolModel", s(2, 5), of=(kind, 6, RNG, 4, 9))
        for kind in ("lstm", "lstmn", "head")
    ),
    *(
        case("RecallModel", s(2, 20), s(2, 20), s(2, 20), of=([kind], RNG, 20, 8))
        for kind in ("full", "window", "blocks", "linear")
    ),
    case("RecurrentTagger", s(2, 5), of=(6, 4, RNG)),
    case("AttentionOnlySeq2Seq", *SEQ2SEQ, of=(6, 7, RNG, 8, 2)),
    *(
        case("Transformer", *SEQ2SEQ, of=(6, 7, RNG, 8, 2, 6, 1), positions=kind, longest=9)
        for kind in ("sinusoidal", "rotary", "alibi")
    ),
    case("AssembledTransformer", *SEQ2SEQ, of=(6, 7, RNG), d_model=8, n_heads=2, d_ff=6),
    case("QuestionReader", s(2, 8), of=(9, 6)),
    case("PictureAsker", f(2, 3, 28, 56), s(2, 8), of=("two looks", RNG, GRID, 9, 6)),
    GRID,
    case("PlacedWords", s(2, 5), of=(6, 8)),
    case("Encoder", s(2, 7), REAL, of=(6, 1, 8, 2, 6)),
    case("Decoder", s(2, 4), X, REAL, of=(6, 1, 8, 2, 6)),
    case("EncoderLayer", X, REAL, of=(8, 2, 6)),
    case("DecoderLayer", f(2, 4, 8), X, REAL, of=(8, 2, 6)),
    *(
        case("FaultyAttention", X, MASK, of=(case("BlockAttention", of=(8, 2)), n), call=look)
        for n in ("none", "small scores", "wrong axis", "empty rows")
    ),
]
OF = {one.name: one for one in reversed(CASES)}  # of each name its first row
