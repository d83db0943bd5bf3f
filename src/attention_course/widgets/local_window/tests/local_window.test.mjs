import assert from "node:assert/strict";
import { test } from "node:test";
import { tell } from "../index.js";
import { localWeights, look } from "../maths.js";
import { close } from "../../../../../tests/js/fixtures.mjs";

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
