// The review's scheduler gives the values that its authors publish.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInThisContext } from "node:vm";

const file = "../../src/attention_course/site/vendor/ts-fsrs/ts-fsrs.umd.js";
runInThisContext(readFileSync(new URL(file, import.meta.url), "utf8"));
const { createEmptyCard, fsrs } = globalThis.FSRS;
const START = new Date(2022, 11, 29, 12, 30);
const DAY = 24 * 60 * 60 * 1000;

// packages/fsrs/__tests__/impl/long-term_scheduler.test.ts of ts-fsrs, "test1" and "test2".
const W = [
  0.4197, 1.1869, 3.0412, 15.2441, 7.1434, 0.6477, 1.0007, 0.0674, 1.6597, 0.1712, 1.1178,
  2.0225, 0.0904, 0.3025, 2.1214, 0.2498, 2.9466, 0.4891, 0.6468,
];
for (const [grades, days] of [
  [
    [3, 3, 3, 3, 3, 3, 1, 1, 3, 3, 3, 3, 3],
    [3, 13, 48, 155, 445, 1158, 17, 3, 11, 37, 112, 307, 773],
  ],
  [
    [1, 2, 3, 4, 1, 2, 3, 4],
    [1, 2, 6, 41, 4, 7, 21, 133],
  ],
])
  test(`with the parameters of its tests, ${grades} come back after ${days} days`, () => {
    const scheduler = fsrs({ w: W, enable_short_term: false });
    let card = createEmptyCard(START);
    const found = grades.map((grade) => {
      card = scheduler.repeat(card, card.due)[grade].card;
      return card.scheduled_days;
    });
    assert.deepEqual(found, days);
  });

// FSRS-6.test.ts: what fsrs-rs, another program, makes of the same answers.
test("as the review sets it, memory is that of fsrs-rs, kept as text in between", () => {
  const scheduler = fsrs({ enable_short_term: false });
  let now = START;
  let card = createEmptyCard(START);
  for (const [grade, days] of [
    [1, 0],
    [3, 0],
    [3, 1],
    [3, 3],
    [3, 8],
    [3, 21],
  ]) {
    now = new Date(+now + days * DAY);
    card = JSON.parse(JSON.stringify(scheduler.repeat(card, now)[grade].card));
  }
  assert.ok(Math.abs(card.stability - 53.335106) < 1e-4, String(card.stability));
  assert.ok(Math.abs(card.difficulty - 6.3574867) < 1e-4, String(card.difficulty));
});
