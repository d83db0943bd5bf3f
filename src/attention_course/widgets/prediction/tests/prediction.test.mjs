import assert from "node:assert/strict";
import { test } from "node:test";
import { answerText, belief, fitsQuestion, judge, moved, verdict, written } from "../maths.js";
import { recall, remember } from "../store.js";
import { fixture } from "../../../../../tests/js/fixtures.mjs";

const rows = fixture("prediction", import.meta.url);
const number = {
  kind: "number",
  answer: [0.41],
  guess: [],
  choices: [],
  unit: "",
  tolerance: 0,
  opened: true,
};
const ask = (more) => verdict({ ...number, ...more });

/** How many of the rows a judge gets wrong. */
function wrongOnes(judged) {
  return rows.filter((row) => {
    const here = judged(row);
    const names = Object.keys(row.numbers);
    const near = (name) =>
      Math.abs(here[name] - row.numbers[name]) <= 1e-12 * Math.abs(row.numbers[name]);
    return Object.keys(here).length !== names.length || !names.every(near);
  }).length;
}

test("what is said of a guess is what Python says, over more than 300 guesses", () => {
  assert.ok(rows.length >= 300);
  assert.equal(wrongOnes(judge), 0);
});

const unlike = (found) => rows.filter((row) => found({ tolerance: 0, ...row }) !== row.belief);

test("the belief behind a guess is the one that Python finds, of more than 100", () => {
  assert.ok(rows.filter((row) => row.belief).length >= 100);
  assert.deepEqual(unlike(belief), []);
});

test("a belief stands behind the verdict on the guess, and not behind a right one", () => {
  const asked = {
    answer: [2.7],
    tolerance: 0.2,
    believed: [[4], [2]],
    beliefs: ["It is not n².", "It is not n."],
  };
  assert.equal(
    ask({ ...asked, guess: [4] }),
    "You said 4, the answer is 2.7: too high by 1.3. It is not n².",
  );
  assert.equal(
    ask({ ...asked, guess: [2.1] }),
    "You said 2.1, the answer is 2.7: too low by 0.6. It is not n.",
  );
  assert.equal(
    ask({ ...asked, guess: [2.6] }),
    "Right, to within 0.2: you said 2.6, the answer is 2.7.",
  );
  assert.equal(
    ask({ ...asked, guess: [3] }),
    "You said 3, the answer is 2.7: too high by 0.3.",
  );
  assert.equal(ask({ ...asked, guess: [] }), "The answer is 2.7.");
  // As far off as is allowed is right, even where a belief leads there.
  assert.equal(
    ask({ ...asked, answer: [2.5], tolerance: 0.5, guess: [2] }),
    "Right, to within 0.5: you said 2, the answer is 2.5.",
  );
  const choice = {
    kind: "choice",
    choices: ["dot", "concat"],
    answer: [1],
    believed: [[0]],
    beliefs: ["Dot has no matrix."],
  };
  assert.equal(
    ask({ ...choice, guess: [0] }),
    "You chose dot. The answer is concat. Dot has no matrix.",
  );
});

test("a number is off by a difference, by a factor, or by both", () => {
  for (const [asked, said] of [
    [{ guess: [0.41] }, "Spot on: the answer is 0.41."],
    [{ guess: [0.43] }, "You said 0.43, the answer is 0.41: too high by 0.02."],
    [{ guess: [0.1] }, "You said 0.1, the answer is 0.41: too low by 0.31, a factor of 4.1."],
    [{ guess: [410] }, "You said 410, the answer is 0.41: too high by a factor of 1000."],
    [
      { guess: [0.43], tolerance: 0.05 },
      "Right, to within 0.05: you said 0.43, the answer is 0.41.",
    ],
    [{ guess: [0] }, "You said 0, the answer is 0.41: too low by 0.41."],
    [{ answer: [0], guess: [3] }, "You said 3, the answer is 0: too high by 3."],
    [{ answer: [-2], guess: [2] }, "You said 2, the answer is −2: too high by 4."],
    [
      { answer: [2.9e-20], guess: [1e-5] },
      "You said 1 × 10⁻⁵, the answer is 2.9 × 10⁻²⁰: too high by a factor of 3.4 × 10¹⁴.",
    ],
    [{}, "The answer is 0.41."],
  ])
    assert.equal(ask(asked), said);
});

test("numbers are written as the fallback writes them", () => {
  const numbers = rows.filter(({ kind }) => kind === "number");
  for (const { answer, said } of numbers) assert.equal(written(answer[0]), said);
  assert.ok(new Set(numbers.map(({ said }) => said)).size >= 10);
});

test("units stand behind every number", () => {
  assert.equal(
    ask({ answer: [94], guess: [90], unit: "%" }),
    "You said 90%, the answer is 94%: too low by 4%.",
  );
  assert.equal(
    ask({ answer: [94], guess: [90], unit: "dates" }).replaceAll("\u00a0", " "),
    "You said 90 dates, the answer is 94 dates: too low by 4 dates.",
  );
});

test("choices and orders are judged kindly", () => {
  const choices = ["dot", "general", "concat"];
  const choice = { kind: "choice", choices, answer: [2] };
  assert.equal(ask({ ...choice, guess: [2] }), "Yes: concat.");
  assert.equal(ask({ ...choice, guess: [0] }), "You chose dot. The answer is concat.");
  const order = { kind: "order", choices, answer: [0, 2, 1] };
  assert.equal(
    ask({ ...order, guess: [0, 2, 1] }),
    "All in the right order: dot, concat, general.",
  );
  assert.equal(
    ask({ ...order, guess: [0, 1, 2] }),
    "1 of 3 pairs is the wrong way round. The order is dot, concat, general.",
  );
  assert.equal(
    ask({ ...order, guess: [1, 2, 0] }),
    "3 of 3 pairs are the wrong way round. The order is dot, concat, general.",
  );
  assert.equal(answerText({ ...number, ...order }), "dot, concat, general");
});

test("whole numbers keep their digits, and there is no minus zero", () => {
  assert.deepEqual(
    [492, 1234567, -0, -3, 0.5].map((x) => written(x)),
    ["492", "1234567", "0", "−3", "0.5"],
  );
});

test("a stored guess has to fit the question", () => {
  const choice = { ...number, kind: "choice", choices: ["a", "b"] };
  const order = { ...choice, kind: "order" };
  for (const [guess, asked] of [
    [[3], number],
    [[1], choice],
    [[1, 0], order],
  ])
    assert.ok(fitsQuestion(guess, asked));
  for (const [guess, asked] of [
    [["3"], number],
    [[], number],
    [[1, 2], number],
    [[2], choice],
    [[0.5], choice],
    [[0, 0], order],
    [[0], order],
    [null, order],
    [7, choice],
  ]) {
    assert.ok(!fitsQuestion(guess, asked), JSON.stringify(guess));
  }
});

test("an item moves up, down, and not beyond the ends", () => {
  assert.deepEqual(moved([0, 1, 2], 2, 1), [0, 2, 1]);
  assert.deepEqual(moved([0, 1, 2], 0, 1), [1, 0, 2]);
  assert.deepEqual(moved([0, 1, 2], 0, -1), [0, 1, 2]);
  assert.deepEqual(moved([0, 1, 2], 2, 3), [0, 1, 2]);
});

test("a guess is kept by page and question, forgotten when asked, and nothing breaks without storage", () => {
  const kept = new Map();
  globalThis.location = { pathname: "/a.html" };
  globalThis.localStorage = {
    getItem: (k) => kept.get(k) ?? null,
    setItem: (k, v) => kept.set(k, v),
    removeItem: (k) => kept.delete(k),
  };
  remember("Q?", { guess: [3] });
  assert.deepEqual(recall("Q?"), { guess: [3] });
  assert.equal(recall("Another?"), null);
  globalThis.location = { pathname: "/b.html" };
  assert.equal(recall("Q?"), null);
  globalThis.location = { pathname: "/a.html" };
  remember("Q?", null);
  assert.equal(recall("Q?"), null);
  kept.set("attention-course: /a.html: Q?", "{broken");
  assert.equal(recall("Q?"), null);
  globalThis.localStorage = {
    getItem: () => {
      throw new Error("denied");
    },
    setItem: () => {
      throw new Error("denied");
    },
  };
  remember("Q?", { guess: [3] });
  assert.equal(recall("Q?"), null);
  delete globalThis.localStorage;
  remember("Q?", { guess: [3] });
  assert.equal(recall("Q?"), null);
});
