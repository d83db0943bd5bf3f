import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chances, examples, look, loss, putters, silentOf, spell, unpack } from "../maths.js";
import { glance, named, ordinal, sentence, signed, where } from "../words.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const [{ words }, ...rows] = fixture("heads", import.meta.url);
const models = packed("../../../data/checkpoints/heads/covered_letters.safetensors");

/** The trained weights as pack_heads writes them. */
function packed(path) {
  const file = readFileSync(new URL(path, import.meta.url));
  const start = 8 + Number(file.readBigUInt64LE());
  const header = JSON.parse(file.subarray(8, start).toString());
  const names = Object.keys(header).filter((name) => name.startsWith("1.")).map((name) => name.slice(2)).sort();
  const bytes = (name) => file.subarray(...header[name].data_offsets.map((at) => start + at));
  return {
    layout: names.map((name) => [name, ...header[`1.${name}`].shape]),
    weights: Object.fromEntries([1, 2, 4, 8].map((h) => [h, Buffer.concat(names.map((name) => bytes(`${h}.${name}`))).toString("base64")])),
  };
}

/** All that the widget shows for a setting. */
function compute({ word, place, n_heads, silent, blade }) {
  const model = unpack(models, n_heads);
  const seen = look(model, spell(word, place).tokens, place);
  const all = examples(model, words);
  const whole = loss(model, all, []);
  return {
    weights: seen.weights,
    chances: chances(model, seen, silent, putters(all)(blade, word, place)),
    loss: whole,
    loss_now: loss(model, all, silent, blade),
    costs: seen.weights.map((_, h) => loss(model, all, [h], blade) - whole),
  };
}

/** The settings at which it differs from the reference. */
function differing(change = (got) => got) {
  return rows.filter(({ setting, numbers }) => {
    const got = change(compute(setting), setting);
    const pairs = ["chances", "costs"].flatMap((name) => numbers[name].map((x, i) => [got[name][i], x]));
    // The reference pads every row to fourteen tokens; the padding gets no weight.
    numbers.weights.forEach((row, h) => row.forEach((x, t) => pairs.push([got.weights[h][t] ?? 0, x])));
    pairs.push([got.loss, numbers.loss], [got.loss_now, numbers.loss_now]);
    return pairs.some(([a, b]) => !close(a, b, 1e-9, 1e-11));
  }).length;
}

test("weights, chances, losses and costs are the reference's, at 40 settings", () => {
  assert.equal(rows.length, 40);
  assert.equal(differing(), 0);
});

test("negative control: a head that is not silenced is seen", () => {
  const silenced = rows.filter(({ setting }) => setting.silent.length).length;
  assert.ok(silenced > 15);
  assert.equal(differing((got, setting) => ({ ...got, chances: compute({ ...setting, silent: [] }).chances })), silenced);
});

test("negative control: another blade is seen", () => {
  const next = { zero: "mean", mean: "other", other: "zero" };
  assert.equal(differing((got, setting) => ({ ...got, costs: compute({ ...setting, blade: next[setting.blade] }).costs })), rows.length);
});

test("another word's is of another word at the same place, or of another word at all", () => {
  const example = (word, place) => ({ word, place, answer: 0, look: { asked: [], weights: [], parts: [[`${word} ${place}`]] } });
  const put = putters([example("ab", 1), example("ab", 2), example("cde", 1), example("cde", 3)].map((one) => one));
  assert.deepEqual(put("other", "ab", 1, 0), [["cde 1"]]);
  assert.deepEqual(put("other", "cde", 1, 2), [["ab 1"]]);
  assert.deepEqual(put("other", "cde", 3, 3), [["ab 1"]]);
  assert.deepEqual(put("other", "xyz", 2), [["ab 2"]]);
  assert.equal(put("zero", "xyz", 2), null);
});

test("negative control: heads in another order are seen", () => {
  const several = rows.filter(({ setting }) => setting.n_heads > 1).length;
  assert.equal(differing((got) => ({ ...got, weights: [...got.weights].reverse() })), several);
});

test("a word becomes marks and letters, with one of them covered", () => {
  assert.deepEqual(spell("abcz", 4), { tokens: [1, 4, 5, 6, 3, 2], answer: 25 });
});

test("a model that is not there is named, and a head that is not there is left out", () => {
  assert.throws(() => unpack(models, 3), /n_heads must be one of 1, 2, 4, 8, got 3/);
  assert.throws(() => unpack({}, 3), /n_heads must be one of the models, and there is none, got 3/);
  assert.deepEqual(silentOf([0, 5], 4), [0]);
});

test("the words say what the numbers say", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "12th"]);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((t) => where(t, 2, 6)), ["the start mark", "the letter before", "the cover itself", "the letter after", "two after", "the end mark"]);
  assert.equal(glance([0.1, 0.7, 0.1, 0.1], 2), "mostly at the letter before (0.70)");
  assert.equal(glance([0.3, 0.3, 0.4, 0], 2), "around, most at the cover itself (0.40)");
  assert.equal(named([0, 2, 3]), "heads 1, 3 and 4");
  assert.equal(signed(-0.01234), "−0.012");
  const now = { word: "head", place: 2, heads: 2, silent: [], blade: "zero", chances: [0.2, 0.1, 0, 0, 0.7, ...Array(21).fill(0)], answer: 4, loss: 2, lossNow: 2, costs: [0.5, 0.1], words: 9 };
  assert.equal(
    sentence(now),
    "With all 2 heads the model gives the 2nd letter of h_ad a chance of 0.700 to be e, which is its best guess. " +
      "On 9 words that it never saw, its loss is 2.000 nats a letter. Of one head alone (nothing instead), head 1 would be missed most (+0.500), head 2 least (+0.100).",
  );
  assert.match(sentence({ ...now, silent: [0], lossNow: 2.5 }), /^Without head 1 \(nothing instead\) .* is 2.500 nats a letter, against 2.000 with all heads: \+0.500.$/);
  assert.match(sentence({ ...now, silent: [0, 1], blade: "mean", answer: 0 }), /^With every head silent \(its mean instead\) .* 0.200 to be a, and its best guess is e/);
});
