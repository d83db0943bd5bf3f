import assert from "node:assert/strict";
import { test } from "node:test";
import { readNumber } from "../../src/attention_course/widgets/kit/field.js";

const READ = {
  8.5: 8.5,
  "8,5": 8.5,
  " 8.5 ": 8.5,
  ",5": 0.5,
  "5.": 5,
  "+3": 3,
  "-0": 0,
  "1/8": 0.125,
  "1 / 8": 0.125,
  "−1/8": -0.125,
  "1⁄8": 0.125,
  "1/2^3": 0.125,
  "0,5/2": 0.25,
  "85 %": 0.85,
  "85%": 0.85,
  "0,7 %": 0.007,
  "2^3": 8,
  "2**3": 8,
  "2³": 8,
  "2^-1": 0.5,
  "2^(−1)": 0.5,
  "-2^2": -4,
  "4^0,5": 2,
  "1e-3": 0.001,
  "1E3": 1000,
  "8,5e2": 850,
  "1e−3": 0.001,
  "1·10^-3": 0.001,
  "1 × 10⁻³": 0.001,
  "2*3": 6,
  "1,5x10^2": 150,
  "0.1*3": 0.3,
  "1 000": 1000,
  "1'000": 1000,
  "1’000,5": 1000.5,
  "1\u00a0000\u202f000": 1e6,
  "1,000,000": 1e6,
  "1.000.000": 1e6,
  "1,000.5": 1000.5,
  "1.000,5": 1000.5,
  "1.000": 1,
  "0,125": 0.125,
  "12,0000": 12,
  "1000,125": 1000.125,
};
const REFUSED = [
  "1,000",
  "12,345",
  "eight",
  "8;5",
  "8,5,5",
  "1 1/8",
  "1 00",
  "1/0",
  "1e999",
  "1e-999",
  "--1",
  "2^",
  "1/",
  "5 ms",
  "1..2",
  "0x10",
  "NaN",
  "Infinity",
  "1/2/3",
  "50 % %",
  ".",
];

test("a number is read as people write it", () => {
  for (const [text, value] of Object.entries(READ))
    assert.deepEqual(readNumber(text), { value }, text);
});

test("what can be read in no way, or in two, is said", () => {
  for (const text of REFUSED) {
    const { value, problem } = readNumber(text);
    assert.equal(value, undefined, text);
    assert.match(problem, /\.$/, text);
  }
  assert.match(readNumber("1,000").problem, /1 or 1000/);
  assert.deepEqual(readNumber(" "), {});
});

test("a unit may stand behind the number, and tells what a percent sign means", () => {
  assert.deepEqual(readNumber("85 %", "%"), { value: 85 });
  assert.deepEqual(readNumber("85", "%"), { value: 85 });
  assert.deepEqual(readNumber("8,5 ms", "ms"), { value: 8.5 });
  assert.ok(readNumber("8,5 s", "ms").problem);
});
