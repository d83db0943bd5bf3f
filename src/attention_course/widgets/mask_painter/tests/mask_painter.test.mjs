import assert from "node:assert/strict";
import { test } from "node:test";
import { sentence } from "../index.js";
import * as maths from "../maths.js";
import { fixture } from "../../../../../tests/js/fixtures.mjs";

const CONSTANTS = fixture("limits", import.meta.url).constants;
const PRESETS = Object.fromEntries(CONSTANTS.presets.map(([name, , rows]) => [name, rows]));
const { paint, verdict } = maths;
const look = (mask, rule, token, output, seed) =>
  maths.look(mask, rule, token, output, seed, CONSTANTS);
const nameOf = (mask) => maths.nameOf(mask, CONSTANTS.presets);

test("a painted cell changes the name, painting it back restores it", () => {
  assert.equal(nameOf(PRESETS.causal), "causal");
  const painted = paint(PRESETS.causal, 0, 5, 1);
  assert.equal(nameOf(painted), "painted");
  assert.equal(nameOf(paint(painted, 0, 5, 0)), "causal");
  assert.equal(PRESETS.causal[0][5], 0);
});

test("under the right causal mask nothing leaks, under the wrong rules the test says what", () => {
  const seen = look(PRESETS.causal, "right", 5, 3, 0);
  assert.deepEqual(verdict(PRESETS.causal, seen.moved, 5).stirred, [5, 6]);
  assert.match(
    sentence(PRESETS.causal, seen, 5, 3),
    /^Token 5 is changed: outputs 5 and 6 move, by up to \S+\. The gradient of output 3 reaches inputs 1, 2 and 3\.$/,
  );
  const after = look(PRESETS.causal, "after", 5, 3, 0);
  assert.match(
    sentence(PRESETS.causal, after, 5, 3),
    /A leak: the mask does not let queries 1, 2, 3 and 4 see it\. The weights of queries 1, 2, 3, 4 and 5 do not sum to 1/,
  );
  const broken = look(PRESETS.front, "infinite", 5, 1, 0);
  assert.match(
    sentence(PRESETS.front, broken, 5, 1),
    /Outputs 1 and 2 are not a number\. .*The gradient of output 1 is not a number\./,
  );
  const large = look(PRESETS.front, "large", 5, 1, 0);
  assert.match(
    sentence(PRESETS.front, large, 5, 1),
    /Queries 1 and 2 may see nothing, and look all the same\./,
  );
});
