import assert from "node:assert/strict";
import { test } from "node:test";
import * as maths from "../../src/attention_course/widgets/self_attention/maths.js";
import { sentence, told, two, working } from "../../src/attention_course/widgets/self_attention/words.js";
import { close, fixture } from "./fixtures.mjs";

const rows = fixture("self_attention");
const CONSTANTS = fixture("constants").SelfAttentionSteps;
const { STEPS } = CONSTANTS;
const { namedDraws } = maths;
const sentenceAttention = (/** @type {any} */ setting) => maths.sentenceAttention(setting, CONSTANTS);
const readSetting = (/** @type {any} */ setting) => maths.readSetting(setting, CONSTANTS);
const splitWords = (/** @type {string} */ text) => maths.splitWords(text, CONSTANTS);

/** How many sentences differ from the reference. */
function differing(compute) {
  return rows.filter(({ setting, words, numbers }) => {
    const got = compute(setting);
    if (got.words.join() !== words.join()) return true;
    return Object.entries(numbers).some(([name, matrix]) =>
      matrix.some((row, i) => row.some((x, c) => !close(got[name][i][c], x, 1e-10, 1e-11))),
    );
  }).length;
}

test("all stages are the reference's, on 45 sentences", () => {
  assert.equal(rows.length, 45);
  assert.equal(differing(sentenceAttention), 0);
});

const wrong = {
  "the seed is forgotten": (s) => sentenceAttention({ ...s, seed: 0 }),
  "the mask is forgotten": (s) => sentenceAttention({ ...s, mask: "none" }),
  "positions are forgotten": (s) => sentenceAttention({ ...s, positions: false }),
  "capitals are lost": (s) => sentenceAttention({ ...s, text: s.text.toLowerCase() }),
  "the values are as wide as the keys": (s) => sentenceAttention({ ...s, d_v: s.d_k }),
};
for (const [name, compute] of Object.entries(wrong)) {
  test(`negative control: ${name}, and it is seen`, () => assert.ok(differing(compute) > 10));
}

const SETTING = { text: "the bank near the bank", token: 1, other: 4, step: 0, d_k: 3, d_v: 2, seed: 18, mask: "none", positions: false };

test("negative control: another width of the model is seen", () => {
  assert.ok(differing((s) => maths.sentenceAttention(s, { ...CONSTANTS, D_MODEL: 4 })) > 10);
});

test("a wider key adds columns and keeps those that were there", () => {
  const [narrow, wide] = [sentenceAttention(SETTING), sentenceAttention({ ...SETTING, d_k: 7 })];
  narrow.q.forEach((row, i) => assert.deepEqual(wide.q[i].slice(0, 3), row));
});

test("the same word gets the same numbers, and the same context without positions", () => {
  const s = sentenceAttention(SETTING);
  assert.deepEqual(s.context[1], s.context[4]);
  assert.notDeepEqual(sentenceAttention({ ...SETTING, positions: true }).context[1], s.context[1]);
  assert.match(sentence(s, { ...SETTING, step: 8 }), /stands at place 5; its context is exactly the same/);
  const placed = { ...SETTING, step: 8, positions: true };
  assert.match(sentence(sentenceAttention(placed), placed), /its context is another one/);
});

test("a word that may look at nothing gets zeros, and the sentence says so", () => {
  const alone = { ...SETTING, text: "alone", token: 0, other: 0, mask: "others", step: 6 };
  const s = sentenceAttention(alone);
  assert.deepEqual(s.context, [[0, 0]]);
  assert.match(sentence(s, alone), /may look at nothing/);
});

test("every step has a sentence with its number, and a working with its result", () => {
  const said = STEPS.map((_, step) => sentence(sentenceAttention(SETTING), { ...SETTING, step }));
  assert.equal(new Set(said).size, STEPS.length);
  const s = sentenceAttention(SETTING);
  assert.equal(working(s, { ...SETTING, step: 3 }, 1, 4, 0)[2], two(s.scores[1][4]));
  assert.equal(working(s, { ...SETTING, step: 8 }, 1, 4, 1)[2], two(s.context[1][1]));
  assert.equal(told(s, { ...SETTING, step: 5 }), 5);
});

test("numbers in cells are short", () => {
  assert.deepEqual([0, -0.001, -1.234, 12.34, -123.4, -Infinity].map(two), ["0.00", "0.00", "−1.23", "12.3", "−123", "−∞"]);
});

test("words: punctuation goes, capitals and apostrophes stay, eight are kept", () => {
  assert.deepEqual(splitWords("Don't, don't!"), ["Don't", "don't"]);
  assert.equal(splitWords("a b c d e f g h i j").length, 8);
  assert.deepEqual(namedDraws("bank", 2), namedDraws("bank", 3).slice(0, 2));
});

test("a text without a word is refused, and the chosen words are among those that there are", () => {
  assert.throws(() => readSetting({ ...SETTING, text: " ,." }), /text must be text with at least one word, got " ,\."/);
  assert.equal(readSetting({ ...SETTING, text: "one two", token: 7 }).token, 1);
});
