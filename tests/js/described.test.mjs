// What a widget's script says of a state: the read-outs are the reference's, of its fixture.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { described, flat } from "../../src/attention_course/widgets/kit/described.mjs";
import { close, fixture, limitsOf, WIDGETS } from "./fixtures.mjs";

const there = (folder, file) => existsSync(new URL(`${folder}/${file}`, WIDGETS));
// The lab's numbers are compared by its own test.
const folders = readdirSync(WIDGETS).filter(
  (folder) => there(folder, "describe.js") && there(folder, `tests/${folder}.json`),
);
const RELATIVE = 1e-9;
const ABSOLUTE = 1e-11;
const LABELS = "words"; // no number depends on them

/** What differs from the reference, by name; "names" where others are shown. */
function differing(readouts, numbers) {
  const wanted = flat(numbers);
  if (Object.keys(wanted).sort().join() !== Object.keys(readouts).sort().join())
    return ["names"];
  return Object.keys(wanted).filter(
    (name) => !close(readouts[name], wanted[name], RELATIVE, ABSOLUTE),
  );
}

for (const folder of folders) {
  const rows = fixture(folder, new URL(`${folder}/tests/`, WIDGETS));
  const limits = limitsOf(folder);
  const file = new URL(`${folder}/tests/given.mjs`, WIDGETS); // what is too large to stand in each row
  const { given } = existsSync(file) ? await import(file) : { given: {} };
  const say = (setting) => described(folder, { ...given, ...setting, limits });

  test(`${folder}: every read-out is the reference's, at ${rows.length} settings`, async () => {
    assert.ok(rows.length >= 20);
    for (const { setting, numbers } of rows) {
      const { readouts } = await say(setting);
      assert.deepEqual(differing(readouts, numbers), [], JSON.stringify(setting));
    }
  });

  test(`${folder}: negative control: each part of another setting is seen`, async () => {
    for (const name of Object.keys(rows[0].setting).filter((name) => name !== LABELS)) {
      const seen = await Promise.all(
        rows.map(async ({ setting, numbers }, i) => {
          const other = rows[(i + 1) % rows.length].setting[name];
          const said = await say({ ...setting, [name]: other }).catch(() => null);
          return said !== null && differing(said.readouts, numbers).length > 0;
        }),
      );
      assert.ok(seen.includes(true), name);
    }
  });

  test(`${folder}: a reader without scripts gets a sentence and a table`, async () => {
    for (const { setting } of rows) {
      const { sentence, head, rows: lines, caption } = await say(setting);
      assert.ok(sentence.length > 20 && caption && head.every(Boolean) && lines.length);
      const text = [sentence, caption, ...head, ...lines.flat()];
      for (const words of text)
        assert.ok(typeof words === "string" && !/undefined|NaN|\[object/.test(words), words);
      for (const line of lines) assert.equal(line.length, head.length);
    }
  });
}

test("the widgets are found", () => assert.ok(folders.length >= 8));
