import assert from "node:assert/strict";
import { test } from "node:test";
import * as maths from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const CONSTANTS = fixture("limits", import.meta.url).constants;
const NAMES = CONSTANTS.scores.map(([name]) => name);
const { query, respond, weigh } = maths;
const drawn = (d, seed) => maths.drawn(d, seed, CONSTANTS);

/** The settings at which `compute` differs from the reference. */
function differing(compute) {
  return fixture("score_response", import.meta.url).filter(({ setting, numbers }) => {
    const { d, seed, angle, length, beta } = setting;
    const draws = drawn(d, seed);
    const scores = compute(draws, query(draws, angle, length), beta);
    const got = { score: scores, weight: weigh(scores) };
    return NAMES.some((name) =>
      ["score", "weight"].some((part) => numbers[part][name].some((x, j) => !close(got[part][name][j], x, 1e-9, 1e-10))),
    );
  }).length;
}

test("every score and weight is the reference's, at 120 settings", () => {
  assert.equal(fixture("score_response", import.meta.url).length, 120);
  assert.deepEqual(Object.keys(fixture("score_response", import.meta.url)[0].numbers.score), NAMES);
  assert.equal(differing(respond), 0);
});

const wrong = {
  "a root left out": (s, { d }) => ({ ...s, scaled: s.dot.map((e) => e / d) }),
  "a strength left out": (s, _, beta) => ({ ...s, cosine: s.cosine.map((e) => (beta > 1.01 || beta < 0.99 ? e / beta : e + 1)) }),
  "a logarithm left out": (s) => ({ ...s, kernel: s.kernel.map(Math.exp) }),
  "a tanh left out": (s, { readOut, hiddenKeys }, _, q) => ({
    ...s,
    additive: hiddenKeys.map((k) => readOut.reduce((sum, v, a) => sum + v * (k[a] + q[0]), 0)),
  }),
  "places counted from the end": (s) => ({ ...s, location: [...s.location].reverse() }),
  "general for dot": (s) => ({ ...s, general: s.dot }),
};
for (const [name, spoil] of Object.entries(wrong)) {
  test(`negative control: ${name} is seen`, () => {
    assert.equal(differing((draws, q, beta) => spoil(respond(draws, q, beta), draws, beta, q)), 120);
  });
}

test("at 0 degrees the query points along key 1, at the second key's angle along key 2", () => {
  const draws = drawn(16, 3);
  for (const [angle, j] of [[0, 0], [draws.second, 1]]) {
    const { cosine } = respond(draws, query(draws, angle, 0.7), 1);
    assert.ok(close(cosine[j], 1, 1e-12));
  }
});

test("additive scores stay within the sum of the read-out, dot products do not", () => {
  const draws = drawn(256, 0);
  const bound = draws.readOut.reduce((sum, v) => sum + Math.abs(v), 0);
  const { additive, dot } = respond(draws, query(draws, 0, 4), 1);
  assert.ok(Math.max(...additive.map(Math.abs)) <= bound);
  assert.ok(dot[0] > 100 * bound);
});
