import assert from "node:assert/strict";
import { test } from "node:test";
import { play, stall, stepSeconds } from "../maths.js";
import { onlyWaiting, tell } from "../index.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const limits = fixture("limits", import.meta.url);
const { constants } = limits;
const named = (/** @type {string} */ trait) =>
  limits.rows.find((/** @type {any} */ row) => row.trait === `Serving.${trait}`).limit.options;
const names = { prompts: named("prompts"), layouts: named("gpus") };
const rows = fixture("serving", import.meta.url).filter(({ fared }) => fared);

/** In how many settings a server with such constants gives other times than the reference. */
const differing = (given) =>
  rows.filter(({ setting, fared }) => {
    const found = play(setting, given, names).fared.flatMap(({ times, lost }) => [
      times[0],
      times[times.length - 1],
      stall(times),
      lost,
    ]);
    return !found.every((x, i) => close(x, fared.flat()[i], 1e-9));
  }).length;

test("every request gets the reference's times, in every way and setting", () => {
  assert.equal(differing(constants), 0);
});

test("a step takes as long as its operations or its bytes, whichever is longer", () => {
  const model = {
    parameters: 100,
    cache_bytes: 10,
    pair_operations: 4,
    peak: 1000,
    bandwidth: 100,
    gpus: 1,
  };
  assert.deepEqual(stepSeconds(model, 1, 0, 0), [210 / 100, 0, 0]);
  assert.deepEqual(stepSeconds(model, 20, 0, 500), [0, (2 * 100 * 20 + 4 * 500) / 1000, 0]);
});

test("the sentence says as much cache as the reference has, and whose it is", () => {
  for (const { setting, blocks } of rows) {
    const played = play(setting, constants, names);
    assert.equal(Math.floor(played.room / constants.model.cache_bytes / 16), blocks);
    const shared = { "one GPU": "", "two GPUs, one model": " together" };
    const whose = shared[setting.gpus] ?? " on each";
    const [, gb] = tell(setting, played).match(`with ([0-9.]+) GB of cache${whose},`) ?? [];
    assert.ok(close(Number(gb) * 1e9, blocks * 16 * constants.model.cache_bytes, 5e-3));
  }
});

test("the sentence says the way and the numbers", () => {
  const words = tell(
    { way: "in batches", cache: 8, gpus: "one GPU" },
    {
      requests: Array(150).fill({}),
      now: { first: 0.5, slow: 2, token: 7, stall: 10, kept: 3, lost: 4 },
    },
  );
  for (const part of [
    "One GPU with 8 GB of cache, in batches: half of the 150 readers",
    "within 0.500 s",
    "within 2.00 s",
    "at most 7.00 ms a token",
    "pause is 10.0 ms",
    "limits are kept by 3.00 %",
  ])
    assert.ok(words.includes(part), `${part}: ${words}`);
});

test("every number of the table is the reference's", () => {
  for (const { setting, numbers } of fixture("serving", import.meta.url)) {
    const { now } = play(setting, constants, names);
    for (const [name] of constants.measures)
      assert.ok(close(now[name], numbers[name], 1e-9), name);
  }
});

test("a picture of nothing but waiting says why", () => {
  const setting = { ...rows[0].setting, way: "continuous", budget: 8192, speed: 8, window: 1 };
  const why = (/** @type {number} */ cache, /** @type {string} */ prompts) =>
    onlyWaiting(
      play({ ...setting, cache, prompts, gpus: "one GPU" }, constants, names),
      constants,
    );
  assert.match(
    why(2, names.prompts[1]),
    /^All 24 wait .* no server had room for more than \d+ /i,
  );
  assert.equal(why(64, names.prompts[0]), "");
});
