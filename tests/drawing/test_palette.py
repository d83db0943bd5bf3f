"""Roles and neutral series are told apart by everybody, on both pages, on paper too.

Colour vision deficiency is simulated with the matrices of Machado, Oliveira and Fernandes
(2009) at full severity, in linear light; differences are CIEDE2000 (Sharma, Wu and Dalal 2005,
whose published pairs check the formula here).
"""

import itertools

import numpy as np
import pytest

from attention_course.drawing.palette import (
    DARK,
    DIVERGING,
    NEUTRALS,
    ROLES,
    SEQUENTIAL,
    SERIES,
)

VISION = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
THEMES = ("light", "dark")
# Least CIEDE2000 between two roles. 2.3 is just noticeable; 10 is seen at a glance.
APART = {"normal": 20.0, "protan": 11.0, "deutan": 11.0, "tritan": 11.0}
# The same between two neutral series, and between one and a role.
NEUTRAL = {"normal": 21.0, "protan": 10.0, "deutan": 10.0, "tritan": 10.0}
FROM_ROLES = {"normal": 13.0, "protan": 6.0, "deutan": 6.0, "tritan": 6.0}
# Least difference of L* between two roles, of 100: what is left on a grey printer.
GREY = 5.0


def linear(hex_colour):
    c = np.array([int(hex_colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(light):
    ratio = XYZ @ np.clip(light, 0, 1) / [0.95047, 1.0, 1.08883]
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one, other):
    low, high = sorted(XYZ[1] @ linear(c) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def ciede2000(one, other):
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_c7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    stretch = 1.5 - 0.5 * np.sqrt(mean_c7 / (mean_c7 + 25**7))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    mean_h = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    delta_h = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2

    def cosine(times, shift):
        return np.cos(np.radians(times * mean_h + shift))

    t = 1 - 0.17 * cosine(1, -30) + 0.24 * cosine(2, 0) + 0.32 * cosine(3, 6)
    t -= 0.20 * cosine(4, -63)
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    dl, dc = (l2 - l1) / s_l, (c2 - c1) / (1 + 0.045 * mean_c)
    dh = delta_h / (1 + 0.015 * mean_c * t)
    rotation = 2 * np.sqrt(mean_c**7 / (mean_c**7 + 25**7))
    rotation *= -np.sin(np.radians(60 * np.exp(-(((mean_h - 275) / 25) ** 2))))
    return np.sqrt(dl**2 + dc**2 + dh**2 + rotation * dc * dh)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (56, -27, -3), 31.9030),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ],
)
def test_the_difference_is_the_published_one(one, other, expected):
    assert ciede2000(one, other) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["paper", "raised"])
def test_every_role_and_series_can_be_read_as_text(theme, ground):
    page = NEUTRALS[ground][THEMES.index(theme)]
    looks = (*ROLES.values(), *SERIES.values())
    least = min(contrast(getattr(look, theme), page) for look in looks)

    assert least >= (4.5 if ground == "paper" or theme == "dark" else 4.2)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISION)
def test_roles_and_neutral_series_stay_apart_for_every_kind_of_colour_vision(theme, vision):
    roles, series = (
        [lab(np.array(VISION[vision]) @ linear(getattr(look, theme))) for look in looks]
        for looks in (ROLES.values(), SERIES.values())
    )
    for pairs, least in (
        (itertools.combinations(roles, 2), APART),
        (itertools.combinations(series, 2), NEUTRAL),
        (itertools.product(series, roles), FROM_ROLES),
    ):
        assert min(ciede2000(a, b) for a, b in pairs) >= least[vision]


@pytest.mark.parametrize("theme", THEMES)
def test_the_roles_stay_apart_in_grey(theme):
    lightness = sorted(lab(linear(getattr(role, theme)))[0] for role in ROLES.values())

    assert min(np.diff(lightness)) >= GREY


def test_letters_and_markers_tell_the_roles_apart_without_colour():
    assert len({role.letter for role in ROLES.values()}) == 6
    assert len({role.marker for role in ROLES.values()}) == 6
    assert len({series.marker for series in SERIES.values()}) == 6


@pytest.mark.parametrize("theme", THEMES)
def test_ink_and_soft_text_can_be_read(theme):
    at = THEMES.index(theme)
    for ground in ("paper", "raised"):
        assert contrast(NEUTRALS["ink"][at], NEUTRALS[ground][at]) >= 12
        assert contrast(NEUTRALS["soft"][at], NEUTRALS[ground][at]) >= 4.5
    assert contrast(NEUTRALS["edge"][at], NEUTRALS["paper"][at]) >= 3  # borders of controls


@pytest.mark.parametrize(("theme", "sign"), [("light", -1), ("dark", 1)])
@pytest.mark.parametrize("vision", VISION)
def test_more_weight_is_always_further_from_the_page(theme, sign, vision):
    colours = [np.array(VISION[vision]) @ linear(c) for c in SEQUENTIAL[theme]]
    steps = np.diff([lab(c)[0] for c in colours])

    assert (sign * steps > 4).all()
    assert max(abs(steps)) < 2 * min(abs(steps))


@pytest.mark.parametrize(("theme", "sign"), [("light", -1), ("dark", 1)])
@pytest.mark.parametrize("vision", VISION)
def test_signed_values_leave_zero_on_both_sides_and_the_sides_differ(theme, sign, vision):
    seen = [lab(np.array(VISION[vision]) @ linear(c)) for c in DIVERGING[theme]]
    below, above = seen[3::-1], seen[3:]

    for side in (below, above):
        assert (sign * np.diff([colour[0] for colour in side]) > 4).all()
    assert all(ciede2000(b, a) >= 8 for b, a in zip(below[2:], above[2:], strict=True))


def test_every_light_colour_has_one_dark_counterpart():
    looks = (*ROLES.values(), *SERIES.values())
    pairs = [(look.light, look.dark) for look in looks] + list(NEUTRALS.values())
    for scale in (SEQUENTIAL, DIVERGING):
        pairs += zip(*scale.values(), strict=True)

    assert dict(pairs) == DARK
    assert len(set(pairs)) == len(DARK)
