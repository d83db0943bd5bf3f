"""A fixed-vector model that others trained: English spelling to phonemes."""

from importlib import resources

import numpy as np
import torch

from attention_course.data.vocabulary import Vocabulary
from attention_course.models.translators.fixed_vector import FixedVectorSeq2Seq

# The order in which the model's authors numbered their symbols, after their four marks.
_PHONEMES = (
    "AA0 AA1 AA2 AE0 AE1 AE2 AH0 AH1 AH2 AO0 AO1 AO2 AW0 AW1 AW2 AY0 AY1 AY2 B CH D DH "
    "EH0 EH1 EH2 ER0 ER1 ER2 EY0 EY1 EY2 F G HH IH0 IH1 IH2 IY0 IY1 IY2 JH K L M N NG "
    "OW0 OW1 OW2 OY0 OY1 OY2 P R S SH T TH UH0 UH1 UH2 UW UW0 UW1 UW2 V W Y Z ZH"
)
_LETTER_ROWS = [0, 0, 2, *range(3, 29)]  # theirs: pad, unknown, end, a to z
_PHONEME_ROWS = [0, 2, 3, *range(4, 74)]  # theirs: pad, unknown, start, end, phonemes


def load_g2p_en(
    dtype: torch.dtype = torch.float32,
) -> tuple[FixedVectorSeq2Seq, Vocabulary, Vocabulary]:
    """Load the pretrained model and its vocabularies.

    Its authors closed every source word with an end mark, so a word goes in as
    ``[*letters.encode(word), END]``.

    Args:
        dtype: of the weights, which are stored as float16.

    Returns:
        The model with a fixed vector of 256 numbers, the letters, the phonemes with stress.

    Source:
        The package g2p-en 2.1.0, Apache License 2.0; see ``data/corpora/g2p_en/PROVENANCE.md``.

    >>> model, letters, phonemes = load_g2p_en()
    >>> model.width, len(letters), len(phonemes)
    (256, 29, 73)
    """
    file = resources.files("attention_course") / "data" / "corpora" / "g2p_en" / "weights.npz"
    with file.open("rb") as stream, np.load(stream) as stored:
        arrays = {name: torch.from_numpy(stored[name]).to(dtype) for name in stored}
    letters, phonemes = Vocabulary("abcdefghijklmnopqrstuvwxyz"), Vocabulary(_PHONEMES.split())
    model = FixedVectorSeq2Seq(len(letters), len(phonemes), 256, np.random.RandomState(0))
    model.to(dtype).load_state_dict(_renamed(arrays))
    model.eval()
    return model, letters, phonemes


def _renamed(arrays: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Give the arrays our names, and their rows our order of symbols."""
    weights = {
        "source_embedding.weight": arrays["enc_emb"][_LETTER_ROWS],
        "target_embedding.weight": arrays["dec_emb"][_PHONEME_ROWS],
        "output.weight": arrays["fc_w"][_PHONEME_ROWS],
        "output.bias": arrays["fc_b"][_PHONEME_ROWS],
    }
    for ours, theirs in (("encoder", "enc"), ("decoder", "dec")):
        for kind, short in (("weight", "w"), ("bias", "b")):
            for part in ("ih", "hh"):
                weights[f"{ours}.{kind}_{part}_l0"] = arrays[f"{theirs}_{short}_{part}"]
    return weights
