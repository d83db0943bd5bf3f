// Keeps the marks that are typed on the marking page in this browser, and saves them as the
// table that `attention-course rubric --merge` reads. Nothing is sent anywhere.
"use strict";

/** @typedef {{ student: string, answer: string, key: string }} Member */
/** @typedef {{ mark: string, comment: string }} Mark */
/** @typedef {{ box: HTMLElement, members: Member[], own: Map<string, Mark> }} Group */
/** @typedef {{ mark: HTMLInputElement, comment: HTMLInputElement, item: string, name: string, key: string, most: string, group: Group }} Field */

const COLUMNS = ["student", "item", "criterion", "max", "mark", "comment", "answer"];
const MOST_BYTES = 2e7;

const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const answers = at("answers");
/** @type {Field[]} */
const fields = [];
const groups = [...answers.querySelectorAll("article")].map(groupOf);
let forgetful = false; // the browser keeps nothing

// ---- what stands on the page ------------------------------------------------------------

/** @param {HTMLElement} box */
function groupOf(box) {
  const members = [...box.querySelectorAll("li")].map((one) => {
    const { student = "", answer = "" } = one.dataset;
    const key = JSON.stringify(["marking", answers.dataset.assignment, box.dataset.items, student, answer]);
    return { student, answer, key };
  });
  /** @type {Group} */
  const group = { box, members, own: new Map() };
  for (const line of box.querySelectorAll(".criterion")) {
    const [mark, comment] = line.querySelectorAll("input");
    const { item = "", criterion: name = "", max: most = "" } = mark.dataset;
    const key = item === box.dataset.items ? name : JSON.stringify([item, name]);
    fields.push({ mark, comment, item, name, key, most, group });
  }
  return group;
}

/** Returns a mark as a number, or NaN if it is none. @param {Field} field */
function valueOf(field, typed = field.mark.value) {
  const digits = /^(\d+[.,]?\d*|[.,]\d+)$/.test(typed.trim());
  const value = digits ? Number(typed.trim().replace(",", ".")) : NaN;
  return value <= Number(field.most) ? value : NaN;
}

/** @param {Field} field */
const isMarked = (field) => !Number.isNaN(valueOf(field));

/** What was merged already. @param {Field} field @returns {Mark} */
const merged = ({ mark, comment }) => ({ mark: mark.defaultValue, comment: comment.defaultValue });

/** @param {Field} field @param {Mark} one @param {Mark} other */
function same(field, one, other) {
  const equal = Object.is(valueOf(field, one.mark), valueOf(field, other.mark));
  return equal && one.comment === other.comment;
}

/** Shows what is marked, and offers a comment that was given for its like. @param {Field[]} some */
function show(some) {
  for (const field of some) {
    const wrong = field.mark.value.trim() !== "" && !isMarked(field);
    field.mark.setAttribute("aria-invalid", String(wrong));
    const changed = field.mark.value.trim() !== field.mark.defaultValue;
    field.mark.parentElement?.classList.toggle("changed", changed);
    const { list, value } = field.comment;
    if (value && list && ![...list.children].some((one) => one.getAttribute("value") === value)) {
      list.append(Object.assign(document.createElement("option"), { value }));
    }
  }
  const open = new Set(fields.filter((one) => !isMarked(one)).map((one) => one.group));
  for (const group of groups) group.box.classList.toggle("done", !open.has(group));
  at("progress").textContent = `${groups.length - open.size} of ${groups.length} answers marked.`;
}

/** @param {string} text */
function say(text) {
  at("said").textContent = text;
}

/** Goes to another mark; of another answer all is seen. @param {Field | undefined} field */
function go(field) {
  if (!field) return;
  const { box } = field.group;
  if (!box.contains(document.activeElement)) box.scrollIntoView();
  field.mark.focus();
  field.mark.select();
}

/** Goes to the next mark that is missing behind a place, or else before it. @param {number} from */
function goOn(from) {
  const order = [...fields.slice(from + 1), ...fields.slice(0, from + 1)];
  const open = order.find((field) => !isMarked(field));
  if (!open) say("Every answer here is marked. Save the table.");
  go(open);
}

// ---- what this browser keeps ------------------------------------------------------------

/** @param {Field} field @param {Mark} mark */
function own(field, mark) {
  field.group.own.set(field.key, mark);
  keep(field.group);
}

/** @param {Group} group */
function keep({ members, own }) {
  try {
    for (const { key } of members) localStorage.setItem(key, JSON.stringify([...own]));
  } catch {
    forgetful = true;
    say("This browser keeps nothing more: save now, and often.");
  }
}

/** Shows what this browser kept; what has been merged since is not its own any more. */
function recall() {
  for (const group of groups) {
    try {
      const kept = group.members.map(({ key }) => localStorage.getItem(key)).find(Boolean);
      for (const [key, { mark, comment }] of JSON.parse(kept ?? "[]")) {
        group.own.set(String(key), { mark: String(mark), comment: String(comment) });
      }
    } catch {
      group.own.clear(); // not ours, or not allowed
    }
  }
  for (const field of fields) {
    const mine = field.group.own.get(field.key);
    if (mine && same(field, mine, merged(field))) {
      field.group.own.delete(field.key);
      keep(field.group);
    } else if (mine) put(field, mine);
  }
  show(fields);
}

/** @param {Field} field @param {Mark} mark */
function put(field, { mark, comment }) {
  [field.mark.value, field.comment.value] = [mark, comment];
}

// ---- the table --------------------------------------------------------------------------

/** Returns the table of what was marked or loaded here, and how many marks it lacks. */
function table() {
  const rows = [COLUMNS];
  let left = 0;
  for (const field of fields) {
    const { group, item, name, key, most } = field;
    const mine = group.own.get(key);
    if (!mine || !(mine.mark || mine.comment)) continue;
    const value = valueOf(field, mine.mark);
    if (Number.isNaN(value)) left += 1;
    else {
      for (const { student, answer } of group.members) {
        rows.push([student, item, name, most, `${value}`, cell(mine.comment), answer]);
      }
    }
  }
  return { text: tableOf(rows), count: rows.length - 1, left };
}

function save() {
  const { text, count, left } = table();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = String(answers.dataset.file);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  const lacks = left ? ` Left out: ${left} where a comment has no mark, or the mark is not possible.` : "";
  say(`${link.download}: ${count} ${count === 1 ? "mark" : "marks"}.${lacks}`);
}

/** Returns the marks of a table by field, and what is left out, or throws. @param {string} text */
function read(text) {
  const places = new Map(
    fields.flatMap((field) =>
      field.group.members.map((one) => [
        JSON.stringify([one.student, field.item, field.name].map((name) => name.trim())),
        { field, answer: one.answer },
      ]),
    ),
  );
  const [head, ...rows] = rowsOf(text);
  const missing = COLUMNS.slice(0, 5).filter((name) => name !== "max" && !head?.cells.includes(name));
  if (missing.length) throw new Error(`line 1: missing columns: ${missing.join(", ")}`);
  /** @type {Map<Field, Map<string, Mark>>} */
  const found = new Map();
  const left = { "of answers that are not here": 0, "for an earlier answer": 0, "different for equal answers": 0 };
  const seen = new Set();
  for (const { line, cells } of rows) {
    const row = Object.fromEntries(head.cells.map((name, i) => [name, cells[i] ?? ""]));
    const key = JSON.stringify([row.student, row.item, row.criterion]);
    if (cells.every((one) => !one) || !(row.mark || row.comment)) continue;
    const place = places.get(key);
    if (seen.has(key)) throw new Error(`line ${line}: this student and criterion stand twice`);
    seen.add(key);
    if (!place) left["of answers that are not here"] += 1;
    else if (row.answer && row.answer !== place.answer) left["for an earlier answer"] += 1;
    else {
      const { field } = place;
      const value = row.mark && `${valueOf(field, row.mark)}`;
      if (value === "NaN") throw new Error(`line ${line}: mark must be a number from 0 to ${field.most}, got ${row.mark}`);
      const mark = { mark: value, comment: uncelled(row.comment ?? "").replace(/\s+/g, " ") };
      found.set(field, (found.get(field) ?? new Map()).set(JSON.stringify(mark), mark));
    }
  }
  for (const [field, marks] of found) {
    if (marks.size > 1) left["different for equal answers"] += Number(found.delete(field));
  }
  return { found, left };
}

/** @param {File} file */
async function load(file) {
  try {
    if (file.size > MOST_BYTES) throw new Error("which is too large for a table of marks");
    const { found, left } = read(decoded(await file.arrayBuffer()));
    let stays = 0;
    for (const [field, marks] of found) {
      const [mark] = marks.values();
      const mine = field.group.own.get(field.key);
      if (mine && (mine.mark || mine.comment)) {
        stays += Number(!same(field, mine, mark));
      } else {
        own(field, mark);
        put(field, mark);
      }
    }
    show(fields);
    const rest = Object.entries({ ...left, "that differ from yours, which stay": stays });
    const more = rest.filter(([, n]) => n).map(([why, n]) => `${n} ${why}`);
    say(`${file.name} is read.${more.length ? ` Not taken over: ${more.join("; ")}.` : ""}`);
  } catch (error) {
    say(`${file.name}, ${error instanceof Error ? error.message : error}. Nothing was taken over.`);
  }
}

// ---- by keyboard and by hand ------------------------------------------------------------

function names() {
  const shown = document.querySelector("main")?.classList.toggle("named");
  at("names").setAttribute("aria-pressed", String(shown));
}

/** @param {EventTarget | null} target */
const placeOf = (target) => fields.findIndex((one) => one.mark === target || one.comment === target);

answers.addEventListener("input", (event) => {
  const field = fields[placeOf(event.target)];
  if (!field) return;
  own(field, { mark: field.mark.value.trim(), comment: field.comment.value.trim() });
});
answers.addEventListener("change", (event) => {
  const field = fields[placeOf(event.target)];
  if (!field) return;
  show([field]);
  const wrong = field.mark.getAttribute("aria-invalid") === "true";
  say(wrong ? `The mark must be a number from 0 to ${field.most}.` : "");
});
answers.addEventListener("keydown", (event) => {
  const place = placeOf(event.target);
  if (place < 0 || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
  /** @type {Record<string, () => void>} */
  const keys = { Enter: () => goOn(place) };
  if (fields[place].mark === event.target) {
    keys.ArrowDown = () => go(fields[place + 1]);
    keys.ArrowUp = () => go(fields[place - 1]);
    keys.n = names;
    keys.s = save;
    keys.f = () => {
      fields[place].mark.value = fields[place].most;
      fields[place].mark.dispatchEvent(new Event("input", { bubbles: true }));
      goOn(place);
    };
  }
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  show([fields[place]]);
  act();
});
addEventListener("keydown", (event) => {
  const other = event.isComposing || event.ctrlKey || event.altKey || event.metaKey;
  if (event.key === "Enter" && event.target === document.body && !other) goOn(-1);
});
const file = /** @type {HTMLInputElement} */ (at("file"));
file.addEventListener("change", async () => {
  if (file.files?.[0]) await load(file.files[0]);
  file.value = "";
});
at("load").addEventListener("click", () => file.click());
at("next").addEventListener("click", () => goOn(-1));
at("names").addEventListener("click", names);
at("save").addEventListener("click", save);
addEventListener("beforeunload", (event) => forgetful && event.preventDefault());

// Asked for its storage, or told to listen to it, while it loads a file, Chromium may give the
// page one that no other tab sees and that is lost with it. Until then nothing can be typed.
document.body.inert = true;
addEventListener("load", () => {
  setTimeout(() => {
    document.body.inert = false;
    addEventListener("storage", recall); // another tab
    recall();
  });
});
