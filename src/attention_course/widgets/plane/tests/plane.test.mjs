import assert from "node:assert/strict";
import { test } from "node:test";
import { attend, nudge, snap } from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

/** The settings at which `compute` differs from the reference. */
function differing(compute) {
  return fixture("plane", import.meta.url).filter(({ setting, numbers }) => {
    const got = compute(setting.query, setting.key_points, setting.score, setting.temperature);
    const pairs = ["scores", "weights", "context"].flatMap((name) => numbers[name].map((x, i) => [got[name][i], x]));
    return [...pairs, [got.entropy, numbers.entropy]].some(([a, b]) => !close(a, b, 1e-10, 1e-11));
  }).length;
}

test("scores, weights, entropy and context are the reference's, at 210 settings", () => {
  assert.equal(fixture("plane", import.meta.url).length, 210);
  assert.equal(differing(attend), 0);
});

test("negative control: a temperature that is left out is seen", () => {
  assert.ok(differing((q, k, score) => attend(q, k, score, 1)) > 150);
});

test("negative control: a context made of the query is seen", () => {
  assert.ok(differing((q, k, score, t) => ({ ...attend(q, k, score, t), context: q })) > 150);
});

test("an arrow key moves a point by a tenth, with Shift by one, and never out of the plane", () => {
  assert.deepEqual(nudge([0.2, 1], "ArrowLeft", false, 5), [0.1, 1]);
  assert.deepEqual(nudge([0.2, 1], "ArrowUp", true, 5), [0.2, 2]);
  assert.deepEqual(nudge([4.8, 1], "ArrowRight", true, 5), [5, 1]);
  assert.equal(nudge([0, 0], "Tab", false, 5), null);
  assert.deepEqual(snap([-0.04, 7], 5), [0, 5]);
});
