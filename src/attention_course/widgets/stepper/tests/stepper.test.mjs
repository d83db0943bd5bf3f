import assert from "node:assert/strict";
import { test } from "node:test";
import { compute } from "../maths.js";
import { barsPath, cellText, fill, lookUp } from "../words.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const examples = fixture("stepper", import.meta.url);

/** Is everything in `wanted` also in `got`, numbers to 1e-11? */
function same(got, wanted) {
  if (Array.isArray(wanted))
    return (
      Array.isArray(got) &&
      got.length === wanted.length &&
      wanted.every((x, i) => same(got[i], x))
    );
  if (typeof wanted === "number" || /^(NaN|-?Infinity)$/.test(wanted))
    return close(got, wanted, 1e-11, 1e-12);
  return got === (wanted ?? undefined);
}

/** What differs from the reference. @param {(plan: any, word: number, scale: string) => any} numbers */
function complaints(numbers) {
  return examples.flatMap(({ example, plan, played }) =>
    played.flatMap((wanted) => {
      const got = numbers(plan, wanted.word, wanted.scale);
      const wrong = Object.keys(wanted.numbers).filter(
        (name) => !same(got[name], wanted.numbers[name]),
      );
      plan.steps.forEach(({ name, says }, i) => {
        const said = fill(typeof says === "string" ? says : says[wanted.scale], got);
        if (said !== wanted.sentences[i]) wrong.push(`${name}: ${said}`);
      });
      return wrong.map((what) => `${example}, word ${wanted.word}, ${wanted.scale}: ${what}`);
    }),
  );
}

test("every number and every sentence of every example is the reference's", () => {
  assert.deepEqual(complaints(compute), []);
});

test("numbers are short, and only an exact 1 is 1", () => {
  const cases = [
    [15, "15"],
    [-0.3, "−0.3"],
    [0.35, "0.35"],
    [-7.6597, "−7.66"],
    [2.86e-20, "3×10⁻²⁰"],
    [1 - 1e-11, "> 0.999"],
    [1, "1"],
    [0, "0"],
    [-Infinity, "−∞"],
    [123.4, "123"],
    [12345, "1×10⁴"],
    ["word", "word"],
  ];
  for (const [x, text] of cases) assert.equal(cellText(x), text);
});

test("places are found by numbers and by names", () => {
  const values = {
    e: [
      [1, 2],
      [3, 4],
    ],
    word: 1,
  };
  assert.equal(lookUp(values, "e.word.0"), 3);
  assert.equal(fill("{e.0}, {#word}, {e.0 * e.1}", values), "[1, 2], 2, 1·3 + 2·4");
});

test("bars go up for what is positive", () => {
  assert.equal(barsPath([1, -0.5], 1, 20, 11), "M5 5.5v-5M15 5.5v2.5");
});
