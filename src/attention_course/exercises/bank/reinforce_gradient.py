"""REINFORCE: the gradient of a random choice, from choices that were made."""

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("gradients",)


def _ask(rng, n_rows, n_keys, n_samples, spread=1.0):
    scores = spread * rng.standard_normal((n_rows, n_keys))
    choices = rng.integers(0, n_keys, (n_rows, n_samples))
    rewards = 5 + 2 * rng.standard_normal((n_rows, n_samples))
    return Call(
        "reinforce_estimate",
        (scores, choices, rewards, 4 + rng.random(n_rows)),
        returns=RETURNS,
    )


def _plain(rng):
    return [_ask(rng, 3, 6, 8)]


def _equal_sizes(rng):
    return [_ask(rng, 4, 4, 4)]


def _one_sample(rng):
    return [_ask(rng, 5, 3, 1)]


def _repeated(rng):
    call = _ask(rng, 2, 5, 9)
    call.args[1][:, 2:] = call.args[1][:, :1]
    return [call]


def _large(rng):
    return [_ask(rng, 6, 4, 7, spread=2000.0)]


def _longer(rng):
    return [_ask(rng, 2, 3, 16), _ask(rng, 2, 3, 4000)]


EXERCISE = Exercise(
    slug="reinforce-gradient",
    title="The gradient of a choice: REINFORCE",
    chapter="recurrent/local-and-hard",
    family="recurrent",
    target="reinforce_estimate",
    minutes=20,
    statement=(
        "Estimate the gradient of the expected reward with respect to the scores, from choices "
        "that were made. Each row of `scores`, `(n_rows, n_keys)`, holds the scores of one "
        "decision: the softmax of a row gives the probabilities with which its positions were "
        "chosen. `choices`, `(n_rows, n_samples)`, holds the chosen positions, counted from 0, "
        "`rewards`, `(n_rows, n_samples)`, what each choice brought, and `baseline`, "
        "`(n_rows,)`, what is subtracted from the rewards of a row. Return the estimate for "
        "each row, `(n_rows, n_keys)`: the mean over its samples."
    ),
    contract=(
        "The reward is to grow: it is the gradient of the reward, not of a loss.",
        "It is taken with respect to the scores, before the softmax.",
        "The baseline is a given number; rewards are used as they come and not standardised.",
        "A position may be chosen several times.",
        "Scores may be in the thousands.",
        "No loop over the samples: there may be many.",
        "The arguments are left as they were.",
    ),
    stub='''\
def reinforce_estimate(scores, choices, rewards, baseline):
    """Return the estimated gradient of the reward, (n_rows, n_keys)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def reinforce_estimate(scores, choices, rewards, baseline):
    """Return the estimated gradient of the reward, (n_rows, n_keys)."""
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    w = exps / exps.sum(axis=1, keepdims=True)
    chosen = np.eye(scores.shape[1])[choices]
    slopes = chosen - w[:, None, :]
    advantages = rewards - baseline[:, None]
    return (advantages[:, :, None] * slopes).mean(axis=1)
''',
    hints=(
        "What is the derivative of the logarithm of one weight with respect to all scores? "
        "Work it out for two positions first.",
        "A table with one row for each choice and a single 1 in it turns a list of choices "
        "into something that can be subtracted from.",
        "Three axes are enough: rows, samples, positions. Over which one is the mean taken?",
    ),
    points={"estimate": 4, "large scores": 1, "no loop": 1},
    probes=(
        Probe("three rows of six positions, eight samples", "estimate", _plain),
        Probe(
            "all sizes equal",
            "estimate",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("a single sample", "estimate", _one_sample),
        Probe(
            "one position chosen again and again",
            "estimate",
            _repeated,
            hint="Every choice counts, also the second one of the same position.",
        ),
        Probe(
            "scores in the thousands",
            "large scores",
            _large,
            hint="np.exp(1000) is inf, and inf / inf is nan.",
        ),
        Probe(
            "many samples without a loop",
            "no loop",
            _longer,
            hint="Index a whole table with the whole array of choices.",
            vectorised=True,
        ),
    ),
    wrong=(
        Wrong(
            "the sign is that of a loss",
            "sign",
            "A choice that brought more than expected: should its score rise?",
            (("chosen - w[:, None, :]", "w[:, None, :] - chosen"),),
        ),
        Wrong(
            "the baseline is left out",
            "baseline",
            "Rewards that are all near 5 say little; how much more than usual was it?",
            (("rewards - baseline[:, None]", "rewards"),),
        ),
        Wrong(
            "the baseline is added",
            "baseline",
            "Compared with what should a reward be judged?",
            (("rewards - baseline", "rewards + baseline"),),
        ),
        Wrong(
            "the baseline is multiplied",
            "baseline",
            "A difference, not a product, leaves the expected gradient as it is.",
            (("rewards - baseline", "rewards * baseline"),),
        ),
        Wrong(
            "the rewards are divided by the baseline",
            "baseline",
            "A difference, not a quotient, leaves the expected gradient as it is.",
            (("rewards - baseline", "rewards / baseline"),),
        ),
        Wrong(
            "the samples' own mean is the baseline",
            "baseline",
            "A baseline that has seen the reward it is subtracted from biases the estimate.",
            (("baseline[:, None]", "rewards.mean(axis=1, keepdims=True)"),),
        ),
        Wrong(
            "the baseline is subtracted from the mean of the estimates",
            "baseline",
            "To what does the baseline belong: to the reward or to the gradient?",
            (
                ("rewards - baseline[:, None]", "rewards"),
                (".mean(axis=1)", ".mean(axis=1) - baseline[:, None]"),
            ),
        ),
        Wrong(
            "rewards below the baseline are dropped",
            "baseline",
            "Is nothing learned from a bad choice?",
            (
                (
                    "rewards - baseline[:, None]",
                    "np.maximum(rewards - baseline[:, None], 0.0)",
                ),
            ),
        ),
        Wrong(
            "the rewards are standardised",
            "baseline",
            "The contract takes rewards as they come.",
            (
                (
                    "rewards - baseline[:, None]",
                    "(rewards - baseline[:, None])"
                    " / (rewards.std(axis=1, keepdims=True) + 1e-6)",
                ),
            ),
        ),
        Wrong(
            "the gradient is that of the probability, not of its logarithm",
            "derivative",
            "Rare choices are sampled rarely already. Should they also count less?",
            (
                (
                    "slopes = chosen - w[:, None, :]",
                    "slopes = chosen - w[:, None, :]\n"
                    "    slopes = slopes * np.take_along_axis(w, choices, 1)[:, :, None]",
                ),
            ),
        ),
        Wrong(
            "the gradient is taken with respect to the probabilities",
            "derivative",
            "With respect to what: the scores, or what the softmax makes of them?",
            (("chosen - w[:, None, :]", "chosen / np.maximum(w, 1e-9)[:, None, :]"),),
        ),
        Wrong(
            "the probabilities are not subtracted",
            "derivative",
            "If one score rises, what happens to the probabilities of the other positions?",
            (("chosen - w[:, None, :]", "chosen"),),
        ),
        Wrong(
            "the scores are subtracted instead of the probabilities",
            "derivative",
            "What does the derivative of a log-softmax contain besides the 1?",
            (("chosen - w[:, None, :]", "chosen - scores[:, None, :]"),),
        ),
        Wrong(
            "only the chosen positions get a gradient",
            "derivative",
            "If one score rises, what happens to the probabilities of the other positions?",
            (("chosen - w[:, None, :]", "chosen * (1 - w[:, None, :])"),),
        ),
        Wrong(
            "the rewards play no part",
            "derivative",
            "That makes what was chosen likelier, good or bad.",
            (("(advantages[:, :, None] * slopes)", "slopes"),),
        ),
        Wrong(
            "rewards and slopes are averaged apart",
            "derivative",
            "Does the mean of a product equal the product of the means?",
            (
                (
                    "(advantages[:, :, None] * slopes).mean(axis=1)",
                    "advantages.mean(axis=1)[:, None] * slopes.mean(axis=1)",
                ),
            ),
        ),
        Wrong(
            "the estimates are summed",
            "mean",
            "Should ten times as many samples make the estimate ten times as large?",
            ((".mean(axis=1)", ".sum(axis=1)"),),
        ),
        Wrong(
            "the mean runs over the positions as well",
            "mean",
            "Divide by the number of samples and by nothing else.",
            ((".mean(axis=1)", ".sum(axis=1) / choices.shape[1] / scores.shape[1]"),),
        ),
        Wrong(
            "the mean runs over the rows as well",
            "mean",
            "Each row is a decision of its own.",
            (
                (
                    "return (advantages[:, :, None] * slopes).mean(axis=1)",
                    "return 0 * scores + (advantages[:, :, None] * slopes).mean(axis=(0, 1))",
                ),
            ),
        ),
        Wrong(
            "positions that are chosen again count once",
            "mean",
            "What does x[[1, 1]] += 1 add to x[1]?",
            (
                (
                    "return (advantages[:, :, None] * slopes).mean(axis=1)",
                    "g = np.zeros_like(w)\n"
                    "    g[np.arange(len(w))[:, None], choices] += advantages\n"
                    "    return g / choices.shape[1] - advantages.mean(axis=1)[:, None] * w",
                ),
            ),
        ),
        Wrong(
            "the softmax runs over the rows",
            "axis",
            "Along which axis do the probabilities of one decision lie?",
            (("exps.sum(axis=1", "exps.sum(axis=0"),),
        ),
        Wrong(
            "no largest score is subtracted",
            "unstable",
            "What is the exponential of 2000?",
            (("scores - scores.max(axis=1, keepdims=True)", "scores"),),
        ),
        Wrong(
            "a loop runs over the samples",
            "slow",
            "Index a whole table with the whole array of choices.",
            (
                (
                    "return (advantages[:, :, None] * slopes).mean(axis=1)",
                    "g = 0.0 * w\n"
                    "    for s in range(choices.shape[1]):\n"
                    "        g = g + advantages[:, s, None] * slopes[:, s]\n"
                    "    return g / choices.shape[1]",
                ),
            ),
        ),
        Wrong(
            "the rewards are overwritten",
            "in place",
            "Who else holds that array?",
            (
                (
                    "advantages = rewards - baseline[:, None]",
                    "rewards -= baseline[:, None]\n    advantages = rewards",
                ),
            ),
        ),
    ),
    odd=(
        Odd(
            "einsum",
            (
                (
                    "(advantages[:, :, None] * slopes).mean(axis=1)",
                    'np.einsum("rs,rsk->rk", advantages, slopes) / choices.shape[1]',
                ),
            ),
        ),
        Odd(
            "slopes in single precision",
            (("w[:, None, :]", "w[:, None, :].astype(np.float32)"),),
        ),
        Odd(
            "counted by np.add.at",
            (
                ("    chosen = np.eye(scores.shape[1])[choices]\n", ""),
                ("    slopes = chosen - w[:, None, :]\n", ""),
                (
                    "return (advantages[:, :, None] * slopes).mean(axis=1)",
                    "g = np.zeros_like(w)\n"
                    "    np.add.at(g, (np.arange(len(w))[:, None], choices), advantages)\n"
                    "    return (g - advantages.sum(axis=1, keepdims=True) * w)"
                    " / choices.shape[1]",
                ),
            ),
        ),
        Odd(
            "a loop over the positions",
            source="""\
import numpy as np


def reinforce_estimate(scores, choices, rewards, baseline):
    log_w = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    a = rewards - np.reshape(baseline, (-1, 1))
    columns = []
    for j in range(scores.shape[1]):
        columns.append(np.mean(a * ((choices == j) - np.exp(log_w[:, j : j + 1])), axis=1))
    return np.transpose(columns)
""",
        ),
    ),
    variants=(
        Variant(
            "loss",
            (
                (
                    "The reward is to grow: it is the gradient of the reward, not of a loss.",
                    "The loss is the negative reward, and it is the gradient of this loss that "
                    "is estimated.",
                ),
            ),
            '''\
def reinforce_estimate(scores, choices, rewards, baseline):
    """Return the estimated gradient of the loss, (n_rows, n_keys)."""
    return -base(scores, choices, rewards, baseline)
''',
            stub=(("gradient of the reward", "gradient of the loss"),),
            statement=(
                ("the gradient of the expected reward with", "the gradient of the loss with"),
            ),
            said={"the sign is that of a loss": None},
        ),
    ),
)
