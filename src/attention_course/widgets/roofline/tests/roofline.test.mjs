import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, inOrder, nearest, timeOf, walk, withUnit, work } from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const constants = inOrder(fixture("limits", import.meta.url).constants);
const rows = fixture("roofline", import.meta.url);

/** At how many settings `count` gives other numbers than the reference. */
function differing(count) {
  return rows.filter(({ setting, numbers, useful, summed }) => {
    const device = constants.devices[setting.device];
    const asked = count(setting);
    const time = timeOf(asked, device, setting.dtype);
    const pairs = [[asked.matmul, numbers.matmul], [asked.exponentials, numbers.exponentials], [asked.moved, numbers.moved], [asked.streamed, numbers.streamed], [asked.useful, useful]];
    pairs.push([asked.held, numbers[`held-${setting.variant}`]]);
    if (!time) return "time-memory" in numbers || pairs.some(([a, b]) => a !== b);
    if (("l2" in time.times) !== ("time-l2" in numbers)) return true;
    for (const [name, seconds] of Object.entries(time.times)) pairs.push([seconds, numbers[`time-${name}`]]);
    pairs.push([time.seconds, numbers[`seconds-${setting.variant}`]], [time.summed, summed]);
    return pairs.some(([a, b]) => !close(a, b, 1e-12));
  }).length;
}

test("counts and times are the reference's, for every form on every device", () => {
  assert.ok(rows.length >= 150);
  assert.equal(differing((s) => work(s, constants)), 0);
  assert.ok(rows.filter(({ summed }) => summed === null).length > 10, "some formats are missing");
});

test("negative controls: a wrong count is seen", () => {
  const spoiled = {
    "each head has keys of its own": (s) => work({ ...s, group: 1 }, constants),
    "no mask": (s) => work({ ...s, causal: false }, constants),
    "tiles of 64": (s) => work({ ...s, block: 64 }, constants),
    "L2 sees what memory sees": (s) => ({ ...work(s, constants), streamed: work(s, constants).moved }),
    "everything fits into the cache": (s) =>
      work(s, { ...constants, devices: { ...constants.devices, [s.device]: { ...constants.devices[s.device], cache: Infinity } } }),
    "multiply and add are one": (s) => ({ ...work(s, constants), matmul: work(s, constants).matmul / 2 }),
    "float32 throughout": (s) => work({ ...s, dtype: "float32" }, constants),
  };
  for (const [name, count] of Object.entries(spoiled)) assert.ok(differing(count) > 5, `${name}: ${differing(count)}`);
});

test("the sentence is Python's, word for word", () => {
  for (const { setting, words } of rows) assert.equal(describe(setting, constants), words);
  for (const part of ["No time can be given", "masked afterwards", "It needs", "held up by the memory", "held up by the matrix unit", "held up by the exponentials", "held up by L2", "L2 is left out"])
    assert.ok(rows.some(({ words }) => words.includes(part)), part);
});

test("numbers are written as Python writes them", () => {
  const texts = fixture("roofline_units", import.meta.url);
  assert.ok(texts.length > 100);
  for (const { x, text } of texts) assert.equal(withUnit(x, "s"), text);
});

test("the forms stand in Python's order even where keys were sorted", () => {
  assert.deepEqual(Object.keys(constants.variants), ["naive", "chunked", "tiled", "training", "decode"]);
  assert.deepEqual(Object.keys(constants.ceilings), ["matmul", "exponentials", "l2", "memory"]);
});

test("a walk through the tiles sees every pair, or those that are not behind a tile", () => {
  assert.deepEqual(walk(10, 4, false), { pairs: 100, keys: 30 });
  assert.deepEqual(walk(10, 4, true), { pairs: 4 * 4 + 4 * 8 + 2 * 10, keys: 4 + 8 + 10 });
});

test("the nearest guess is nearest in ratio", () => {
  assert.equal(nearest([2, 5, 20, 65], 4.7), 5);
  assert.equal(nearest([1, 100], 11), 100);
});
