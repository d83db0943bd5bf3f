import assert from "node:assert/strict";
import { test } from "node:test";
import { hull, nudge, snap } from "../maths.js";

test("an arrow key moves a point by a tenth, with Shift by one, and never out of the plane", () => {
  assert.deepEqual(nudge([0.2, 1], "ArrowLeft", false, 5), [0.1, 1]);
  assert.deepEqual(nudge([0.2, 1], "ArrowUp", true, 5), [0.2, 2]);
  assert.deepEqual(nudge([4.8, 1], "ArrowRight", true, 5), [5, 1]);
  assert.equal(nudge([0, 0], "Tab", false, 5), null);
  assert.deepEqual(snap([-0.04, 7], 5), [0, 5]);
});

test("the hull goes once round the outer points, and every mean of them is inside", () => {
  /** @type {import("../maths.js").Point[]} */
  const corners = [
    [0, 0],
    [4, 0],
    [4, 3],
    [0, 3],
  ];
  const points = /** @type {typeof corners} */ ([[1, 1], ...corners, [3, 2], [0, 0]]);
  const sides = hull(points).map((side) => JSON.stringify(side));
  const wanted = corners.map((a, i) => JSON.stringify([a, corners[(i + 1) % 4]]));
  assert.deepEqual([...new Set(sides)].sort(), wanted.sort());
  assert.deepEqual(
    hull([
      [2, 2],
      [2, 2],
    ]),
    [],
  );
});
