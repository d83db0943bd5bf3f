import assert from "node:assert/strict";
import { test } from "node:test";
import { ROUND } from "../../src/attention_course/widgets/kit/formats.js";
import { fixture } from "./fixtures.mjs";

const numbers = fixture("formats");

for (const [name, round] of Object.entries(ROUND)) {
  test(`${name} rounds as NumPy does, bit for bit`, () => {
    assert.ok(numbers.x.length > 1000);
    numbers.x.forEach((x, i) => {
      const [got, wanted] = [round(Number(x)), Number(numbers[name][i])];
      assert.ok(Object.is(got, wanted), `${name} of ${x}: ${got} is not ${wanted}`);
    });
  });

  test(`${name} leaves its own numbers alone`, () => {
    for (const x of numbers[name]) assert.ok(Object.is(round(Number(x)), Number(x)));
  });
}
