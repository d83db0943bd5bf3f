import assert from "node:assert/strict";
import { test } from "node:test";
import { annotate, answer, ownersOf, pictureOf, tell } from "../maths.js";
import { asked, readQuestion, rightAnswer, rightCaption, told } from "../words.js";
import { readTensors } from "../../models/tensors.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const { file, rows } = fixture("captions", import.meta.url);
const names = fixture("limits", import.meta.url).constants;
const { tensors: soft } = readTensors(Uint8Array.from(Buffer.from(file, "base64")));
const picture = ({ left, right, photograph }) =>
  pictureOf(soft, [left, right], photograph, names);
const same = (got, wanted) =>
  got.length === wanted.length && [...got].every((x, i) => close(x, wanted[i], 0, 1e-5));
const write = (row, tensors = soft) =>
  tell(tensors, annotate(tensors, picture(row)), { ...row, longest: names.LONGEST });
const fits = (steps, row) =>
  same(
    steps.map(({ word }) => word),
    row.numbers,
  ) &&
  same(
    steps.map(({ chance }) => chance),
    row.chances,
  ) &&
  row.weights.every((wanted, i) => same(steps[4 * i].weights, wanted));

test("words, probabilities and looks are those of the trained torch models, turned or not", () => {
  assert.equal(rows.length, 27);
  for (const row of rows)
    assert.ok(fits(write(row), row), `${row.way}: ${row.left}, ${row.right}, ${row.turned}`);
});

test("negative control: another weight, a look that is not turned, another way are seen", () => {
  const mixed = rows.filter(({ way }) => way === "soft");
  const wrong = {
    ...soft,
    "gate.bias": {
      ...soft["gate.bias"],
      data: soft["gate.bias"].data.map((x) => x + 0.5),
    },
  };
  assert.ok(mixed.every((row) => !fits(write(row, wrong), row)));
  for (const row of rows.filter(({ turned }) => turned.length))
    assert.ok(!fits(write({ ...row, turned: [] }), row), row.turned);
  assert.ok(mixed.every((row) => !fits(write({ ...row, way: "even" }), row)));
});

test("the cells of a garment are those that it covers by a quarter", () => {
  for (const row of rows) assert.deepEqual(ownersOf(picture(row)), row.owners);
});

test("the right caption has a size but for trousers, whose verb is are", () => {
  assert.equal(
    rightCaption(["big red coat", "small green trousers"]).join(" "),
    "the big red coat is red and the trousers are green .".replace("big red coat", "big coat"),
  );
});

test("what is said: the caption, what is wrong in it, the look, what a turn changed", () => {
  const state = {
    left: "big red pullover",
    right: "small blue bag",
    photograph: 2,
    way: "soft",
  };
  const free = told(soft, { ...state, word: 5, turned: [] }, names);
  assert.match(free.said, /^It writes “the big .*\.” Every word is right\. Before “red” /);
  assert.match(free.said, /it looks: 0\.\d\d of the weight lies on the left garment/);
  assert.ok(!free.said.includes("With its own looks"));
  const onTheBag = 1 + free.owners.indexOf(1);
  const turned = told(soft, { ...state, word: 5, turned: [0, 0, 0, 0, onTheBag] }, names);
  assert.match(
    turned.said,
    /you turned its look: 0\.00 .* left garment, 1\.00 on the right one/,
  );
  assert.match(turned.said, /With its own looks it writes “red” in the place of “blue”\.$/);
});

const questions = fixture("questions", import.meta.url);
const { tensors: asker } = readTensors(Uint8Array.from(Buffer.from(questions.file, "base64")));
const reply = (row, tensors = asker) => {
  const seen = pictureOf(tensors, [row.left, row.right], row.photograph, names);
  const how = { turned: row.turned, owners: ownersOf(seen) };
  return answer(tensors, annotate(tensors, seen), readQuestion(row.question, names), how);
};
const agrees = ({ chances, looks }, row) =>
  same(chances, row.chances) && looks.every((weights, t) => same(weights, row.looks[t]));

test("answers and both looks are those of the trained torch model, turned or not", () => {
  assert.equal(questions.rows.length, 12);
  for (const row of questions.rows) {
    assert.deepEqual(readQuestion(row.question, names), row.numbers);
    assert.ok(agrees(reply(row), row), `${row.question} ${row.turned}`);
  }
});

test("negative control: another question, a look that is not turned are seen", () => {
  for (const row of questions.rows.filter(({ turned }) => turned.some(Boolean)))
    assert.ok(!agrees(reply({ ...row, turned: [0, 0] }), row));
  const first = questions.rows[0];
  assert.ok(!agrees(reply({ ...first, question: "is the big coat red ?" }), first));
});

test("the right answer is yes or what is so, of the one garment that is meant", () => {
  const both = ["big red coat", "small blue coat"];
  for (const [question, wanted] of [
    ["is the small coat red ?", "blue"],
    ["Is the red coat big?", "yes"],
    ["is the coat red ?", ""],
    ["is the bag red ?", ""],
    ["is the small coat big ?", "small"],
  ])
    assert.equal(rightAnswer(both, question, names), wanted, question);
});

test("what is said: the answer, both looks, what a turn changed, what cannot be read", () => {
  const [row] = questions.rows;
  const state = { ...row, task: "questions", turned: [] };
  const free = asked(asker, state, names);
  assert.match(
    free.said,
    /^It answers “blue”, with probability 0\.99\. That is right\. The first/,
  );
  const turned = asked(asker, { ...state, turned: [0, 1 + free.owners.indexOf(0)] }, names);
  assert.match(turned.said, /“yes”.* Right would be: blue\..*You turned the second look\./);
  assert.match(turned.said, /With its own looks it answers “blue”\.$/);
  for (const [question, words] of [
    ["is the hat red ?", "never taught the word “hat”"],
    ["the coat is red", "whether a garment has a colour or a size"],
    ["", "whether a garment has"],
  ])
    assert.ok(asked(asker, { ...state, question }, names).said.includes(words), question);
});
