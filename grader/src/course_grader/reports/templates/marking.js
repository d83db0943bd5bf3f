// Keeps the marks that are typed on the marking page in this browser, and saves them as the
// file that `attention-course rubric --merge` reads. Nothing is sent anywhere.
"use strict";

/** @typedef {{ student: string, answer: string, key: string }} Member */
/** @typedef {Record<string, number>} Items the points of rubric items, by their names */
/** @typedef {Record<string, string>} Lines comments, by how many words stand up to their line */
/** @typedef {{ mark: string, comment: string, items?: Items, lines?: Lines }} Mark */
/** @typedef {{ id: string, item: string, name: string, points: number, words: string, was: [number, string] | null }} Item */
/** @typedef {{ box: HTMLElement, members: Member[], own: Map<string, Mark> }} Group */
/** @typedef {{ mark: HTMLInputElement, comment: HTMLInputElement, item: string, name: string, key: string, most: string, group: Group, reply: boolean, items: Items, lines: Lines, stood: Mark, ticks: HTMLElement }} Field */

const at = (/** @type {string} */ id) =>
  /** @type {HTMLElement} */ (document.getElementById(id));
const answers = at("answers");
const { assignment, kind = "" } = answers.dataset;
const unpacked = (/** @type {string} */ text = "null") => JSON.parse(decodeURIComponent(text));
const itemsKey = JSON.stringify(["rubric items", assignment]);
/** @type {Map<string, Item>} */
const rubric = new Map();
for (const [item, name, id, points, words] of unpacked(answers.dataset.rubric) ?? []) {
  rubric.set(id, { id, item, name, points, words, was: [points, words] });
}
/** @type {Field[]} */
const fields = [];
const groups = [...answers.querySelectorAll("article")].map(groupOf);
let forgetful = false; // the browser keeps nothing

// ---- what stands on the page ------------------------------------------------------------

/** @param {HTMLElement} box */
function groupOf(box) {
  const members = [...box.querySelectorAll("li")].map((one) => {
    const [student, answer] = unpacked(one.dataset.member);
    const key = JSON.stringify([
      kind || "marking",
      assignment,
      box.dataset.items,
      student,
      answer,
    ]);
    return { student, answer, key };
  });
  /** @type {Group} */
  const group = { box, members, own: new Map() };
  for (const line of box.querySelectorAll(".criterion")) {
    const [mark, comment = mark] = line.querySelectorAll("input");
    const reply = mark === comment;
    const { max: most = "" } = mark.dataset;
    const [item, name] = unpacked(mark.dataset.place);
    const key = JSON.stringify([item, name]);
    const ticks = document.createElement("div");
    const { items = {}, lines = {} } = unpacked(mark.dataset.more) ?? {};
    const stood = { mark: mark.defaultValue, comment: comment.defaultValue, items, lines };
    line.append(ticks);
    fields.push({
      mark,
      comment,
      item,
      name,
      key,
      most,
      group,
      reply,
      items,
      lines,
      stood,
      ticks,
    });
  }
  return group;
}

/** Returns a mark as a number, or NaN if it is none. @param {Field} field */
function valueOf(field, typed = field.mark.value) {
  if (field.reply) return typed.trim() ? 0 : NaN;
  const digits = /^(\d+[.,]?\d*|[.,]\d+)$/.test(typed.trim());
  const value = digits ? Number(typed.trim().replace(",", ".")) : NaN;
  return value <= Number(field.most) ? value : NaN;
}

/** @param {Field} field */
const isMarked = (field) => !Number.isNaN(valueOf(field));

/** @param {Field} field @returns {Mark} */
const typed = ({ mark, comment, items, lines }) => ({
  ...{ mark: mark.value.trim(), comment: comment.value.trim() },
  ...{ items: { ...items }, lines: { ...lines } },
});

const sorted = (/** @type {object} */ some = {}) => JSON.stringify(Object.entries(some).sort());

/** @param {Field} field @param {Mark} one @param {Mark} other */
function same(field, one, other) {
  const equal = Object.is(valueOf(field, one.mark), valueOf(field, other.mark));
  const [items, lines] = [
    sorted(one.items) === sorted(other.items),
    sorted(one.lines) === sorted(other.lines),
  ];
  return equal && items && lines && one.comment === other.comment;
}

/** Shows what is marked. @param {Field[]} some */
function show(some) {
  for (const field of some) {
    const wrong = field.mark.value.trim() !== "" && !isMarked(field);
    field.mark.setAttribute("aria-invalid", String(wrong));
    const changed = field.mark.value.trim() !== field.mark.defaultValue;
    field.mark.parentElement?.classList.toggle("changed", changed);
  }
  const open = new Set(fields.filter((one) => !isMarked(one)).map((one) => one.group));
  for (const group of groups) group.box.classList.toggle("done", !open.has(group));
  at("progress").textContent =
    `${groups.length - open.size} of ${groups.length} answers marked.`;
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
  if (!open) say("Every answer here is marked. Save them.");
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
  for (const { key } of members) remember(key, [...own]);
}

/** @param {string} key @param {unknown} value */
function remember(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    forgetful = true;
    say("This browser keeps nothing more: save now, and often.");
  }
}

/** Shows what this browser kept; what has been merged since is not its own any more. */
function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(itemsKey) ?? "[]");
    const lost = kept.filter((/** @type {Item} */ one) => !take(one) && one?.words);
    for (const { words } of lost)
      say(`Somebody else has changed the rubric item “${words}”; yours is left out.`);
  } catch {
    // not ours, or not allowed
  }
  showRubric();
  for (const group of groups) {
    try {
      const kept = group.members.map(({ key }) => localStorage.getItem(key)).find(Boolean);
      for (const [key, { mark, comment, items, lines }] of JSON.parse(kept ?? "[]")) {
        group.own.set(String(key), {
          mark: String(mark),
          comment: String(comment),
          items,
          lines,
        });
      }
    } catch {
      group.own.clear(); // not ours, or not allowed
    }
  }
  for (const field of fields) {
    const mine = field.group.own.get(field.key);
    if (mine && same(field, mine, field.stood)) {
      field.group.own.delete(field.key);
      keep(field.group);
    } else if (mine) put(field, mine);
  }
  show(fields);
}

/** @param {Field} field @param {Mark} mark */
function put(field, { mark, comment, items = {}, lines = {} }) {
  [field.mark.value, field.comment.value] = [mark, comment];
  [field.items, field.lines] = [{ ...items }, { ...lines }];
  count(field);
  showTicks(field);
  showLines(field);
}

// ---- rubric items -----------------------------------------------------------------------

const changed = (/** @type {Item} */ one) =>
  sorted([one.points, one.words]) !== sorted(one.was ?? []);
const signed = (/** @type {number} */ points) => `${points < 0 ? "−" : "+"}${Math.abs(points)}`;

/** Takes an item that this browser kept over, or says that it was made otherwise since. @param {Item} one */
function take(one) {
  const right = [one?.id, one?.item, one?.name, one?.words].every(
    (text) => typeof text === "string",
  );
  if (!right || !Number.isFinite(one.points)) return false;
  const here = rubric.get(one.id);
  if (here && here.points === one.points && here.words === one.words) return true;
  if (sorted(here?.was ?? []) !== sorted(one.was ?? [])) return false;
  rubric.set(one.id, one);
  return true;
}

/** Gives a mark what its items give. @param {Field} field */
function count(field) {
  const names = Object.keys(field.items).filter((id) => rubric.has(id));
  if (!names.length) return;
  field.items = Object.fromEntries(names.map((id) => [id, rubric.get(id)?.points ?? 0]));
  const sum = Object.values(field.items).reduce((all, one) => all + one, 0);
  field.mark.value = `${Math.min(Math.max(Math.round(sum * 100) / 100, 0), Number(field.most))}`;
}

/** @param {Field} field */
function showTicks(field) {
  const some = [...rubric.values()].filter(
    ({ item, name }) => item === field.item && name === field.name,
  );
  const labels = some.map((one) => {
    const tick = Object.assign(document.createElement("input"), {
      type: "checkbox",
      checked: one.id in field.items,
    });
    tick.addEventListener("change", () => {
      if (tick.checked) field.items[one.id] = one.points;
      else delete field.items[one.id];
      if (!Object.keys(field.items).length) field.mark.value = "";
      count(field);
      own(field, typed(field));
      show([field]);
    });
    const label = document.createElement("label");
    label.append(tick, ` ${signed(one.points)} ${one.words}`);
    return label;
  });
  field.ticks.replaceChildren(...labels);
}

/** Shows the items of a criterion where they are changed, with a line for a new one. @param {HTMLElement} kit */
function showKit(kit) {
  const [item, name] = unpacked(kit.dataset.place);
  const some = [...rubric.values()].filter((one) => one.item === item && one.name === name);
  const none = () => ({
    id: Math.random().toString(36).slice(2, 12),
    item,
    name,
    points: 0,
    words: "",
    was: null,
  });
  const lineOf = (/** @type {Item} */ one) => {
    const box = Object.assign(document.createElement("div"), { className: "criterion" });
    const [points, words] = ["Points", "Words"].map((what) =>
      Object.assign(document.createElement("input"), {
        ariaLabel: `${what}: ${name}`,
        placeholder: what.toLowerCase(),
        maxLength: 400,
      }),
    );
    if (one.words) [points.value, words.value] = [`${one.points}`, one.words];
    box.append(points, words);
    box.addEventListener("change", () => {
      const value = Number(points.value.trim().replace("−", "-").replace(",", ".") || NaN);
      const fine = Math.abs(value) <= 1000 && words.value.trim();
      say(fine ? "" : "A rubric item needs points, such as 1 or -0.5, and words.");
      if (!fine) return;
      const isNew = !rubric.has(one.id);
      rubric.set(one.id, {
        ...one,
        points: value,
        words: words.value.trim().replace(/\s+/g, " "),
      });
      remember(itemsKey, [...rubric.values()].filter(changed));
      countAll();
      if (isNew) kit.append(lineOf(none()));
    });
    return box;
  };
  kit.replaceChildren(...[...some, none()].map(lineOf));
}

function countAll() {
  for (const field of fields) {
    const before = sorted(typed(field));
    count(field);
    const now = typed(field);
    if (sorted(now) !== before) {
      if (field.group.own.has(field.key)) own(field, now);
      else [field.stood, field.mark.defaultValue] = [now, now.mark];
    }
    showTicks(field);
  }
  show(fields);
}

function showRubric() {
  for (const kit of answers.querySelectorAll(".kit")) showKit(/** @type {HTMLElement} */ (kit));
  countAll();
  for (const field of fields) showLines(field);
}

// ---- comments at a line -----------------------------------------------------------------

/** Returns the lines of a group's answer; of a file that could not be read it has none. @param {Group} group */
function linesOf({ box }) {
  const text = box.querySelector("pre.prose");
  if (text && !text.querySelector(".line")) {
    let words = 0;
    const lines = (text.textContent ?? "").match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const spans = lines.map((line) => {
      words += line.split(/\s+/).filter(Boolean).length;
      const span = Object.assign(document.createElement("span"), {
        className: "line",
        tabIndex: -1,
        textContent: line,
      });
      span.dataset.words = `${words}`;
      return span;
    });
    text.replaceChildren(...spans);
  }
  return /** @type {HTMLElement[]} */ ([...box.querySelectorAll(".line")]);
}

/** Opens a comment at a line. @param {Field} field the first of its answer @param {HTMLElement} line */
function openLine(field, line) {
  const next = line.nextElementSibling;
  if (next instanceof HTMLInputElement) return next;
  const { words = "" } = line.dataset;
  const box = Object.assign(document.createElement("input"), {
    className: "at",
    ariaLabel: "Comment at this line",
    maxLength: 900,
  });
  box.value = field.lines[words] ?? "";
  box.addEventListener("input", () => {
    delete field.lines[words];
    if (box.value.trim()) field.lines[words] = box.value.trim();
    own(field, typed(field));
  });
  line.after(box);
  return box;
}

/** @param {Field} field */
function showLines(field) {
  if (field !== firstOf(field.group)) return;
  for (const box of field.group.box.querySelectorAll(".at")) box.remove();
  if (!Object.keys(field.lines).length) return;
  const lines = linesOf(field.group);
  for (const words of Object.keys(field.lines)) {
    const line = lines.find((one) => one.dataset.words === words);
    if (line) openLine(field, line);
  }
}

const firstOf = (/** @type {Group} */ group) =>
  /** @type {Field} */ (fields.find((one) => one.group === group));
const groupAt = (/** @type {EventTarget | null} */ target) =>
  groups.find(
    ({ box }) =>
      target instanceof Element && target.closest("pre.prose") && box.contains(target),
  );

answers.addEventListener("click", (event) => {
  const group = groupAt(event.target);
  if (!group || event.target instanceof HTMLInputElement || !getSelection()?.isCollapsed)
    return;
  linesOf(group);
  const line = document.elementFromPoint(event.clientX, event.clientY)?.closest(".line");
  if (line instanceof HTMLElement) openLine(firstOf(group), line).focus();
});
answers.addEventListener("keydown", (event) => {
  const group = groupAt(event.target);
  if (!group || event.isComposing) return;
  const lines = linesOf(group);
  const place = lines.findIndex((one) => one === event.target);
  /** @type {Record<string, () => void>} */
  const keys = { Escape: () => go(firstOf(group)) };
  if (place >= 0) {
    keys.ArrowDown = () => lines[place + 1]?.focus();
    keys.ArrowUp = () => lines[place - 1]?.focus();
    keys.Enter = () => openLine(firstOf(group), lines[place]).focus();
  }
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

// ---- what is saved ----------------------------------------------------------------------

/** Returns what was marked here, how many marks that are, and how many it lacks. */
function entries() {
  /** @type {object[]} */
  const made = [...rubric.values()]
    .filter(changed)
    .map(({ id, item, name, points, words, was }) => ({
      as: "item",
      id,
      was,
      item,
      criterion: name,
      mark: points,
      comment: words,
    }));
  let [count, left] = [0, 0];
  for (const field of fields) {
    const { group, item, name: criterion, key } = field;
    const mine = group.own.get(key);
    if (!mine || !(mine.mark || mine.comment)) continue;
    const mark = valueOf(field, mine.mark);
    if (Number.isNaN(mark)) left += 1;
    else {
      const { comment, items = {}, lines = {} } = mine;
      const given = {
        as: field.reply ? "reply" : kind,
        item,
        criterion,
        mark,
        comment,
        items,
        lines,
      };
      made.push(...group.members.map(({ student, answer }) => ({ ...given, student, answer })));
      count += group.members.length;
    }
  }
  return { made, count, left };
}

function save() {
  const { made, count, left } = entries();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(
    new Blob([`${JSON.stringify(made, null, 1)}\n`], { type: "application/json" }),
  );
  link.download = String(answers.dataset.file);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  const lacks = left
    ? ` Left out: ${left} where a comment has no mark, or the mark is not possible.`
    : "";
  say(`${link.download}: ${count} ${count === 1 ? "mark" : "marks"}.${lacks}`);
}

// ---- by keyboard and by hand ------------------------------------------------------------

function names() {
  const shown = document.querySelector("main")?.classList.toggle("named");
  at("names").setAttribute("aria-pressed", String(shown));
}

/** @param {EventTarget | null} target */
const placeOf = (target) =>
  fields.findIndex((one) => one.mark === target || one.comment === target);

answers.addEventListener("input", (event) => {
  const field = fields[placeOf(event.target)];
  if (!field) return;
  if (event.target === field.mark) {
    field.items = {}; // a mark that is typed is not its items' any more
    showTicks(field);
  }
  own(field, typed(field));
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
  if (fields[place].mark === event.target && !fields[place].reply) {
    keys.ArrowDown = () => go(fields[place + 1]);
    keys.ArrowUp = () => go(fields[place - 1]);
    keys.c = () => linesOf(fields[place].group)[0]?.focus();
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
