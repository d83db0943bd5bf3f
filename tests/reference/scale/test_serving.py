"""The server: a rival that moves single tokens, and times by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_course.data.requests import conversations
from attention_course.reference.scale.serving import (
    SHORT,
    WAYS,
    Request,
    ServedModel,
    per_million,
    report,
    serve,
    used,
)
from attention_course.widgets.serving.widget import mistral

ONE = ServedModel(1e9, 1e5, 1e5, peak=1e15, bandwidth=1e12)  # a step takes 2 ms at least
REAL = [Request(*row) for row in conversations()[:60]]


def tokens(steps, count):
    read, wrote = np.zeros(count, int), np.zeros(count, int)
    for step in steps:
        for number, r, w in step.parts:
            read[number] += r
            wrote[number] += w
    return read, wrote


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("chunk", [64, 10**6])
def test_every_token_is_read_or_written_once(way, chunk):
    found, steps = serve(REAL, ONE, way, 8, chunk)
    read, wrote = tokens(steps, len(REAL))
    assert read.tolist() == [r.prompt for r in REAL]
    assert wrote.tolist() == [r.answer for r in REAL]
    ends = [step.begin + step.seconds for step in steps]
    assert all(a <= b + 1e-12 for a, b in zip(ends, (s.begin for s in steps[1:]), strict=False))
    assert max(done.last for done in found) == pytest.approx(ends[-1])
    for step in steps:
        assert sum(read for _, read, _ in step.parts) <= chunk
        assert len(step.parts) <= (1 if way == "one by one" else 8)


def test_one_request_takes_the_time_that_its_formula_says():
    model = ServedModel(1e9, 3e5, 2e5, peak=1e14, bandwidth=2e12)
    (done,), steps = serve([Request(1.5, 1000, 3)], model)
    reading = max((2e9 * 1000 + 2e5 * 1000 * 1001 / 2) / 1e14, (2e9 + 3e5 * 1000) / 2e12)
    writing = [(2e9 + 3e5 * (1000 + i + 1)) / 2e12 for i in range(1, 3)]
    assert done.first == pytest.approx(1.5 + reading)
    # The first token is the prompt's step; each further one passes through itself.
    assert done.last == pytest.approx(1.5 + reading + sum(writing), rel=1e-3)
    assert len(steps) == 3


def test_a_free_place_is_taken_at_once_or_when_the_batch_is_done():
    requests = [Request(0.0, 1, 2), Request(0.0, 1, 9), Request(0.0, 1, 2)]
    now, _ = serve(requests, ONE, "continuous", 2)
    later, _ = serve(requests, ONE, "in batches", 2)
    assert now[2].first < now[1].last
    assert later[2].first > later[1].last


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"requests": []}, "requests in the order in which they came"),
        ({"requests": [Request(1.0, 1, 1), Request(0.0, 1, 1)]}, "requests in the order"),
        ({"requests": [Request(0.0, 0, 1)]}, "each of at least one token, got 1 requests"),
        ({"way": "at random"}, "way must be one of one by one, in batches, continuous"),
        ({"most": 0}, "most must be"),
        ({"chunk": 0}, "chunk must be"),
        ({"kept": -1}, "kept must be"),
        ({"kept": 375}, "kept must be at most the shortest prompt, 374 tokens, got 375"),
        ({"budget": 0}, "budget must be"),
        ({"short": "weep"}, "short must be one of recompute, swap, reserve"),
        ({"readers": 1}, "readers must be fewer than replicas = 1"),
        ({"model": replace(ONE, memory=2e9)}, r"holds 2.0 GB of parameters .* got 1 x 2.0 GB"),
        (
            {"model": replace(ONE, memory=2.0403e9)},
            "25 blocks .* request 0: prompt 374, answer 44",
        ),
    ],
)
def test_a_bad_argument_is_named_with_what_is_expected(given, said):
    with pytest.raises(ValueError, match=f"serve: .*{said}"):
        serve(**{"requests": REAL[:2], "model": ONE} | given)


def test_a_device_that_the_course_does_not_know_is_refused_by_name():
    with pytest.raises(ValueError, match=r"device must be one of T4, .*, got 'H900'"):
        mistral("H900")


class Rival:
    """The same server, token by token: blocks come from a pile, bytes are a set of places."""

    def __init__(self, requests, model, pile, block, budget, short, kept, once, most):
        self.requests, self.model, self.pile = requests, model, list(range(pile))
        self.block, self.budget, self.short = block, budget, short
        self.kept, self.once, self.most = kept // block * block, once, most
        n = len(requests)
        self.waiting, self.inside = list(range(n)), []
        self.cached = [set() for _ in range(n)]  # positions whose keys are in memory
        self.own = [[] for _ in range(n)]  # numbers of blocks
        self.leans = [False] * n  # on the beginning that all share
        self.beginning, self.times = None, [[] for _ in range(n)]
        self.lost, self.carried = [0] * n, 0

    def text(self, i):
        return self.requests[i].prompt + len(self.times[i])

    def writing(self, i):
        return self.times[i] and len(self.cached[i]) == self.text(i) - 1

    def want(self, i, tokens):
        """Take blocks for so many tokens from the pile, if there are enough."""
        start = self.kept if self.leans[i] else 0
        more = math.ceil(max(tokens - start, 0) / self.block) - len(self.own[i])
        if more > len(self.pile):
            return False
        self.own[i] += [self.pile.pop() for _ in range(more)]
        return True

    def leave(self, i):
        self.inside.remove(i)
        self.pile += self.own[i]
        self.own[i] = []
        assert len(set(self.pile)) == len(self.pile)

    def carry(self, i):
        start = self.kept if self.leans[i] else 0
        self.carried += len([p for p in self.cached[i] if p >= start])

    def grow(self):
        lost = False
        for i in [i for i in self.inside if self.writing(i)]:
            while i in self.inside and not self.want(i, self.text(i)):
                last, lost = self.inside[-1], True
                if self.short == "swap":
                    self.carry(last)
                else:
                    self.cached[last], self.leans[last] = set(), False
                self.leave(last)
                self.lost[last] += 1
                self.waiting.insert(0, last)
        return lost

    def admit(self, now):
        while self.waiting and len(self.inside) < self.most:
            i = self.waiting[0]
            if self.requests[i].came > now:
                break
            self.leans[i] = self.beginning is not None
            end = self.requests[i].prompt + self.requests[i].answer - 1
            if not self.want(i, end if self.short == "reserve" else self.text(i)):
                break
            self.carry(i)
            if self.leans[i]:
                self.cached[i] |= set(range(min(self.kept, self.text(i) - 1)))
            self.inside.append(self.waiting.pop(0))

    def play(self):
        now = 0.0
        while self.waiting or self.inside:
            if not self.inside:
                now = max(now, self.requests[self.waiting[0]].came)
            if not self.grow():
                self.admit(now)
            first = [i for i in self.inside if self.writing(i)]
            order = first + [i for i in self.inside if i not in first]
            due = [
                (i, p) for i in order for p in range(self.text(i)) if p not in self.cached[i]
            ]
            if not due:  # the only one inside has just lost its blocks
                continue
            now += self.cost(due[: self.budget])
            for i, p in due[: self.budget]:
                self.cached[i].add(p)
            for i in dict.fromkeys(i for i, _ in due[: self.budget]):
                if len(self.cached[i]) == self.text(i):
                    self.times[i].append(now)
                    if self.kept and self.beginning is None:
                        cut = self.kept // self.block
                        self.beginning, self.own[i] = self.own[i][:cut], self.own[i][cut:]
                        self.leans[i] = True
            for i in [i for i in self.inside if len(self.times[i]) == self.requests[i].answer]:
                self.leave(i)
        return self.times, self.lost

    def cost(self, due):
        touched = {
            ("all" if self.once and self.leans[i] and p < self.kept else i, p)
            for i in {i for i, _ in due}
            for p in self.cached[i]
        } | set(due)
        work = sum(
            2 * self.model.parameters + self.model.pair_operations * (p + 1) for _, p in due
        )
        moved = 2 * self.model.parameters + self.model.cache_bytes * len(touched)
        host = self.carried * self.model.cache_bytes / self.model.host
        self.carried = 0
        return max(work / self.model.peak, moved / self.model.bandwidth) + host


@pytest.mark.parametrize("seed", range(60))
def test_a_rival_that_moves_single_tokens_and_blocks_agrees(seed):
    rng = np.random.default_rng(seed)
    n, block, most = (
        int(rng.integers(2, 14)),
        int(rng.choice([1, 2, 4])),
        int(rng.integers(1, 9)),
    )
    came = np.sort(rng.uniform(0, 30, n))
    kept = int(rng.choice([0, 5, 8]))
    requests = [
        Request(float(t), kept + int(rng.integers(1, 20)), int(rng.integers(1, 20)))
        for t in came
    ]
    pile = max(-(-(r.prompt + r.answer) // block) for r in requests) + int(rng.integers(0, 12))
    budget = int(rng.choice([1, 3, 7, 1000]))
    once, short = bool(rng.integers(2)), SHORT[seed % 3]
    model = ServedModel(50, 10, 3, 400, 300, memory=100 + 10 * block * pile, host=40)
    found, _ = serve(
        requests,
        model,
        most=most,
        kept=kept,
        budget=budget,
        block=block,
        short=short,
        once=once,
    )
    times, lost = Rival(requests, model, pile, block, budget, short, kept, once, most).play()
    assert [f.first for f in found] == pytest.approx([t[0] for t in times], rel=1e-9)
    assert [f.last for f in found] == pytest.approx([t[-1] for t in times], rel=1e-9)
    assert [f.preempted for f in found] == lost
    assert short != "reserve" or sum(lost) == 0


def test_the_rival_meets_every_kind_of_shortage():
    """So that the seeds above are known to reach what they are there for."""
    full = ServedModel(50, 10, 3, 400, 300, memory=100 + 10 * 12, host=40)
    requests = [Request(0.0, 4, 8), Request(0.0, 5, 8)]
    ends = set()
    for short, lost in (("recompute", 1), ("swap", 1), ("reserve", 0)):
        found, steps = serve(requests, full, block=1, short=short)
        times, told = Rival(requests, full, 12, 1, 99, short, 0, False, 9).play()
        assert ([f.preempted for f in found], told) == ([0, lost], [0, lost])
        assert found[1].last == pytest.approx(times[1][-1], rel=1e-9)
        assert max(step.blocks for step in steps) == 12
        assert (sum(step.spent[2] for step in steps) > 0) == (short == "swap")
        ends.add(found[1].last)
    assert len(ends) == 3


@pytest.mark.parametrize("law", ["constant", "geometric"])
def test_waits_in_a_queue_are_those_that_theory_gives(law):
    """Exactly, by Lindley's recursion; and on average, by Pollaczek and Khinchine's formula."""
    rng, n, load, mean = np.random.default_rng(1), 8_000, 0.4, 50
    work = np.full(n, mean) if law == "constant" else rng.geometric(1 / mean, n)
    gaps = rng.exponential(mean / load, n)
    came = np.cumsum(gaps)
    requests = [Request(float(t), int(w), 1) for t, w in zip(came, work, strict=True)]
    a_second_a_token = ServedModel(0.5, 0, 0, 1, math.inf)
    found, _ = serve(requests, a_second_a_token, "one by one")
    waits = np.array([f.first for f in found]) - came - work
    by_hand = [0.0]
    for gap, before in zip(gaps[1:], work, strict=False):
        by_hand.append(max(0.0, by_hand[-1] + before - gap))
    assert np.abs(waits - by_hand).max() < 1e-9 * came[-1]
    square = mean**2 if law == "constant" else mean**2 * (2 - 1 / mean)
    formula = load / mean * square / (2 * (1 - load))
    off = 4 * waits.reshape(40, -1).mean(1).std(ddof=1) / math.sqrt(40)
    assert abs(waits.mean() - formula) < off < formula / 4


def test_what_a_step_waits_for_is_counted_by_hand():
    """One step reads, bound by operations; the next writes, bound by bytes; both exchange."""
    model = ServedModel(10, 2, 0, 100, 30, memory=26, gpus=2, layers=5, width=1, latency=0.1)
    (done,), steps = serve([Request(0.0, 12, 2)], model, block=4)
    assert [s.spent for s in steps] == [
        pytest.approx((0, 2 * 10 * 12 / 100 / 2, 1.0)),
        pytest.approx(((20 + 2 * (12 + 1)) / 30 / 2, 0, 1.0)),
    ]
    told, all_seconds = used(model, steps, block=4), done.last
    assert told.blocks == 1  # 52 bytes, less 20, are 4 blocks of 4 tokens, each of 2 bytes
    assert told[1:] == pytest.approx(np.array([46 / 60, 1.2, 2.0]) / all_seconds)


def test_two_gpus_halve_a_step_and_add_two_exchanges_a_layer():
    model = replace(ONE, layers=10, width=100, gpus=2, link=1e9, latency=1e-6)
    sent = 2 * 1 / 2 * 3 * 100 * 2  # of 3 tokens, 100 numbers of two bytes each
    expected = ONE.seconds(3, 5, 7) / 2 + 2 * 10 * (1e-6 + sent / 1e9)
    assert model.seconds(3, 5, 7) == pytest.approx(expected)
    assert replace(model, memory=4e9).blocks(16) == math.floor((8e9 - 2e9) / 1e5 / 16)


def test_servers_in_turn_are_servers_alone():
    together, steps = serve(REAL, ONE, replicas=2)
    for turn in range(2):
        alone, some = serve(REAL[turn::2], ONE)
        assert together[turn::2] == alone
        assert [s.seconds for s in steps if s.replica == turn] == [s.seconds for s in some]


def test_apart_the_cache_crosses_the_wire_between_first_and_second_token():
    requests = [Request(0.0, 1000, 3), Request(0.0, 500, 1), Request(0.0, 2000, 2)]
    read, _ = serve([r._replace(answer=1) for r in requests], ONE)
    found, steps = serve(requests, ONE, replicas=2, readers=1, wire=1e9)
    assert [f.first for f in found] == [r.first for r in read]
    assert found[1].last == found[1].first  # one token: nothing has to cross
    ready = read[0].first  # all prompts are read in one step, and cross one after the other
    for i, crossed, kept in ((0, 1000, 1000), (2, 3500, 2000)):
        second = ready + crossed * 1e5 / 1e9 + ONE.seconds(1, kept, kept + 1)
        assert found[i].first + found[i].stall == pytest.approx(second)
    assert all(read <= 1 for s in steps for _, read, _ in s.parts if s.replica == 1)


def test_the_report_is_counted_by_hand():
    requests = [Request(0.0, 1, 5), Request(1.0, 1, 5), Request(2.0, 1, 1)]
    rows = [(0.2, 0.6), (1.5, 1.7), (2.1, 2.1)]
    served = [serve([requests[0]], ONE)[0][0]._replace(first=a, last=b) for a, b in rows]
    told = report(requests, served, first=0.3, token=0.08)
    assert told.first == pytest.approx(0.2)
    assert (told.token, told.end) == pytest.approx((0.075, 2.1))
    assert (told.good, told.tokens) == pytest.approx((1 / 3, 11 / 2.1))
    cost, energy = per_million(500, 4, 3.0, 700.0)
    assert (cost, energy) == pytest.approx((4 * 2000 / 3600 * 3, 4 * 2000 / 3600 * 0.7))
