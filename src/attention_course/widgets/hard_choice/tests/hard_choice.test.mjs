import assert from "node:assert/strict";
import { test } from "node:test";
import { expectedError, tell } from "../index.js";
import { bestBaseline, choose, estimate, reinforceVariance, stopsUpTo } from "../maths.js";
import { close } from "../../../../../tests/js/fixtures.mjs";

const STATE = {
  scores: [1, 0, 0.5],
  rewards: [-0.5, -3, -2],
  shift: 0,
  estimator: "plain",
  samples: 1000,
  tau: 1,
  seed: 3,
};

test("the formula is the mean square error of many estimates", () => {
  for (const estimator of ["plain", "best baseline"]) {
    const state = { ...STATE, estimator, samples: 10000 };
    const now = estimate(state);
    const formula = expectedError(state, now);
    assert.ok(
      Math.abs(now.error / formula - 1) < 0.1,
      `${estimator}: ${now.error} and ${formula}`,
    );
  }
});

test("a shift moves the variance without baseline and not the one with the best", () => {
  const w = [0.5, 0.3, 0.2];
  const r = [-1, -2, -4];
  const up = r.map((x) => x + 10);
  assert.ok(reinforceVariance(w, up, 0) > 5 * reinforceVariance(w, r, 0));
  assert.ok(
    close(
      reinforceVariance(w, up, bestBaseline(w, up)),
      reinforceVariance(w, r, bestBaseline(w, r)),
      1e-9,
    ),
  );
});

test("a position is chosen as often as its weight says, and one of weight 0 never", () => {
  assert.deepEqual(
    [0, 0.49, 0.5, 0.99, 1].map((u) => choose([0.5, 0, 0.5], u)),
    [0, 0, 2, 2, 2],
  );
});

test("straight-through stays away from the exact gradient, and the sentence says so", () => {
  const state = { ...STATE, estimator: "straight-through", samples: 10000, tau: 3 };
  assert.match(tell(state, estimate(state)), /this estimate is biased/);
  const plain = { ...STATE, samples: 10000 };
  assert.doesNotMatch(tell(plain, estimate(plain)), /biased/);
});

test("the path ends at the last choice and never goes back", () => {
  const stops = stopsUpTo(3000);
  assert.equal(stops.at(-1), 3000);
  assert.ok(stops.every((n, i) => i === 0 || n > stops[i - 1]));
  assert.equal(estimate(STATE).path.length, stopsUpTo(1000).length);
});

test("a reward for each score is asked for", () => {
  assert.throws(
    () => estimate({ ...STATE, rewards: [1, 2] }),
    /rewards must be one for each of 3 scores, got \[1,2\]/,
  );
});
