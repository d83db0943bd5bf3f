import assert from "node:assert/strict";
import { test } from "node:test";
import { tell } from "../index.js";
import { localWeights, look } from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

/** The settings at which `compute` differs from the reference. */
function differing(compute) {
  return fixture("local_window", import.meta.url).filter(({ setting, numbers }) => {
    const got = compute(setting.scores, setting.kind, setting.centre, setting.half_width);
    const rows = [[got.weights, numbers.weights], [got.everywhere, numbers.global_weights]];
    const pairs = rows.flatMap(([a, b]) => b.map((x, i) => [a[i], x]));
    const names = ["p", "first", "last", "total", "seen"];
    return [...pairs, ...names.map((name) => [got[name], numbers[name]])].some(([a, b]) => !close(a, b, 1e-10, 1e-11));
  }).length;
}

test("weights, window and sums are the reference's, at 80 settings", () => {
  assert.equal(fixture("local_window", import.meta.url).length, 80);
  assert.equal(differing(look), 0);
});

test("negative control: a window that is open at its edges is seen", () => {
  const open = (scores, kind, p, D) => look(scores, kind, p, Math.max(1, D - 1));
  assert.ok(differing(open) > 20);
});

test("negative control: weights that are normalised after the Gaussian are seen", () => {
  const again = (scores, kind, p, D) => {
    const now = look(scores, kind, p, D);
    return { ...now, weights: now.weights.map((w) => w / (now.total || 1)) };
  };
  assert.ok(differing(again) > 10);
});

test("the Gaussian leaves the centre and lowers the edge by exp(-2)", () => {
  const [edge, , middle] = localWeights([0, 0, 0, 0, 0], 2, 2, true);
  assert.ok(close(middle, 0.2, 1e-12) && close(edge, 0.2 * Math.exp(-2), 1e-12));
});

test("an empty window gives zeros and says so", () => {
  const now = look([1, 2, 3], "local-p", 9, 2);
  assert.deepEqual([now.weights, now.first, now.last], [[0, 0, 0], -1, -1]);
  assert.match(tell(["a", "b", "c"], "local-p", now), /No word lies in the window/);
});

test("the sentence names what the window misses", () => {
  const scores = [0, 0, 0, 0, 5];
  const words = ["a", "b", "c", "d", "verb"];
  assert.match(tell(words, "local-m", look(scores, "local-m", 1, 1)), /misses “verb”/);
  assert.doesNotMatch(tell(words, "local-m", look(scores, "local-m", 4, 1)), /misses/);
});
