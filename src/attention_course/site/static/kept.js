/* All that this browser keeps of the course: counted, saved as one file, merged with such a file,
 * removed. Pages are named in the file as seen from the site's own root, so that it also fits a
 * copy of the site that stands elsewhere. */
(() => {
  "use strict";
  const { recall, keep, changed, all } = globalThis.acStorage;
  const { element, button, download } = globalThis.acPage;
  const BEGIN = "attention-course: ";
  const COURSE = "Attention, Measured";
  const FORMAT = 1;
  const MOST = 2e7; // bytes; a browser keeps half as much for a site
  const ROOT = new URL("../../", document.currentScript.src).pathname;
  const PAGE = /^((?:[a-z]+: )?)(\/.*)$/;
  // Kept as JSON: objects, of which each part counts by itself, and lists of what was done when.
  const PARTS = /^quiz: /;
  const WHOLE = /^((quiz|review|words): |(today|workbench)$)/;
  const LISTS = /^attempts/;
  /** @type {[string, string, RegExp][]} */
  const KINDS = [
    ["page read to its recap", "pages read to their recaps", /^read: /],
    ["guess", "guesses", /^\//],
    ["answer in code", "answers in code", /^answer: /],
    ["answer in words", "answers in words", /^words: /],
    ["cell that you changed", "cells that you changed", /^cell: /],
    ["quiz", "quizzes", PARTS],
    ["question under review", "questions under review", /^review: /],
    ["note of your minutes", "", /^today$/],
  ];

  const outwards = (rest) =>
    rest.replace(PAGE, (whole, kind, path) =>
      path.startsWith(ROOT) ? `${kind}./${path.slice(ROOT.length)}` : whole,
    );
  const inwards = (name) => name.replace(/^((?:[a-z]+: )?)\.\//, `$1${ROOT}`);

  const held = () => [...all(BEGIN)].filter(([rest]) => !/^when: /.test(rest));
  const count = (n, one, more) => `${n} ${n === 1 ? one : more}`;

  function inWords() {
    const left = held().map(([rest]) => rest);
    const said = KINDS.map(([one, more, form]) => {
      const n = left.filter((rest) => form.test(rest)).length;
      return n ? count(n, one, more) : "";
    });
    const others = left.filter((rest) => !KINDS.some(([, , form]) => form.test(rest))).length;
    said.push(others ? count(others, "other thing", "other things") : "");
    const list = said.filter(Boolean).join(", ");
    return list ? `Kept in this browser: ${list}.` : "Nothing is kept in this browser.";
  }

  function written() {
    const dated = (rest, value) => ({ value, when: changed(BEGIN + rest) });
    const entries = held().map(([rest, value]) => [outwards(rest), dated(rest, value)]);
    const saved = new Date().toISOString();
    const file = { course: COURSE, format: FORMAT, saved, kept: Object.fromEntries(entries) };
    return `${JSON.stringify(file, null, 1)}\n`;
  }

  const sorted = (parts) => JSON.stringify(Object.fromEntries(Object.entries(parts).sort()));
  const isObject = (value) =>
    value !== null && typeof value === "object" && !Array.isArray(value);

  function whole(name, entry) {
    if (!name || /^when: /.test(name) || !isObject(entry)) return false;
    const { value, when } = entry;
    if (typeof value !== "string" || !Number.isSafeInteger(when) || when < 0) return false;
    try {
      if (WHOLE.test(name)) return isObject(JSON.parse(value));
      if (LISTS.test(name)) return JSON.parse(value).every(({ when }) => Date.parse(when) > 0);
      if (name === "notebook") return Array.isArray(JSON.parse(value).cells);
      return true;
    } catch {
      return false;
    }
  }

  /* What a file holds, by the key that it has here; an error says why it cannot be used. */
  function read(text) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      throw Error("It is damaged, or no file that was saved here: it is not JSON");
    }
    if (file?.course !== COURSE)
      throw Error("It is another program’s: it does not name this course");
    if (!Number.isInteger(file.format) || file.format < 1 || !isObject(file.kept))
      throw Error("It is damaged: it says neither its format nor what was kept");
    if (file.format > FORMAT)
      throw Error(
        `A newer edition of the course saved it: its format is ${file.format}, and this edition reads ${FORMAT}`,
      );
    const entries = Object.entries(file.kept);
    const broken = entries.find(([name, entry]) => !whole(name, entry));
    if (broken) throw Error(`It is damaged at “${broken[0].slice(0, 60)}”`);
    return new Map(entries.map(([name, entry]) => [inwards(name), entry]));
  }

  /* What is to be kept of two values of one thing. */
  function merged(rest, mine, theirs) {
    const [older, newer] = theirs.when > mine.when ? [mine, theirs] : [theirs, mine];
    try {
      if (PARTS.test(rest)) {
        const both = sorted({ ...JSON.parse(older.value), ...JSON.parse(newer.value) });
        return both === sorted(JSON.parse(mine.value)) ? mine.value : both;
      }
      if (LISTS.test(rest)) {
        const each = [...JSON.parse(older.value), ...JSON.parse(newer.value)];
        const once = [...new Map(each.map((one) => [one.when, one])).values()];
        return JSON.stringify(once.sort((a, b) => Date.parse(a.when) - Date.parse(b.when)));
      }
    } catch {
      return theirs.value; // here it cannot be read
    }
    return newer.value;
  }

  /* Keep each key as it was, with its time, unless it has been changed since; whether all are. */
  function restore(before) {
    const ours = [...before].filter(([key, { put }]) => recall(key) === put);
    for (const [key, { value, when }] of ours) keep(key, value, when);
    return ours.length === before.size;
  }

  function take(text) {
    const before = new Map();
    let [same, stayed] = [0, 0];
    for (const [rest, theirs] of read(text)) {
      const key = BEGIN + rest;
      const mine = { value: recall(key), when: changed(key) };
      // Its reader's number (tryit.js) is each browser's own.
      if (theirs.value === mine.value || (rest === "reader" && mine.value)) {
        same++;
        continue;
      }
      const value = mine.value === undefined ? theirs.value : merged(rest, mine, theirs);
      if (value === mine.value) stayed++;
      else {
        before.set(key, { ...mine, put: value });
        if (keep(key, value, Math.max(mine.when, theirs.when))) continue;
        restore(before);
        throw Error("This browser’s storage is full or switched off");
      }
    }
    return { before, same, stayed };
  }

  // ---- the page ----

  const place = document.getElementById("ac-kept");
  const counted = element("p");
  const status = element("p", { className: "ac-kept-status", role: "status" });
  const tell = () => (counted.textContent = inWords());
  const say = (...more) => {
    tell();
    status.replaceChildren(...more);
    document.dispatchEvent(new Event("ac-kept")); // to review.js
  };

  function save() {
    const name = `attention-measured-${new Date().toISOString().slice(0, 10)}.json`;
    download(name, written(), "application/json");
    say(`Saved as ${name}.`);
  }

  function undo(before) {
    const all = "The file was put out again: all is as before.";
    const some =
      "The file was put out again. What has changed since it was loaded stays as it is.";
    const back = button("Undo", () => say(restore(before) ? all : some));
    return before.size ? [" ", back] : [];
  }

  const accept = ".json,application/json";
  const file = element("input", { type: "file", accept, hidden: true });
  file.onchange = async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    try {
      if (chosen.size > MOST) throw Error("It is larger than anything that was saved here");
      const { before, same, stayed } = take(await chosen.text());
      const said = [`Taken from the file: ${before.size}. The same here: ${same}.`];
      if (stayed)
        said.push(` Different and no newer in the file, so left as it is here: ${stayed}.`);
      say(...said, ...undo(before));
    } catch (error) {
      say(`${chosen.name} was not taken. ${error.message}. Nothing was changed.`);
    }
    file.value = "";
  };

  function forget() {
    const n = held().length;
    if (!n) return say("There is nothing to remove.");
    const asked = `Remove all that this browser keeps of the course (${count(n, "thing", "things")})? This cannot be undone.`;
    if (!confirm(asked)) return say("Nothing was removed.");
    all(BEGIN).forEach((_, rest) => keep(BEGIN + rest, undefined));
    say("Removed. An open page of the course may keep again what you type there.");
  }

  place.replaceChildren(
    counted,
    button("Save it all as a file", save),
    button("Load a file", () => (say(), file.click())),
    button("Forget me", forget),
    file,
    status,
  );
  addEventListener("storage", tell);
  addEventListener("pageshow", tell);
  tell();
})();
