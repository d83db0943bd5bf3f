import { look, nameOf, paint, verdict } from "./maths.js";
import { formatNumber } from "../kit/numbers.js";
import { css, mapColours, shade } from "../kit/colour.js";
import { selectControl } from "../kit/controls.js";
import { tag } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

/** @param {number[]} list "1", "1 and 2", "1, 2 and 3" */
export function listed(list) {
  return list.length < 2
    ? list.join("")
    : `${list.slice(0, -1).join(", ")} and ${list[list.length - 1]}`;
}

/** @param {string} word @param {number[]} list */
const some = (word, list) => `${word}${list.length > 1 ? "s" : ""} ${listed(list)}`;

/** What is seen, in words. @param {number[][]} mask @param {ReturnType<typeof look>} seen @param {number} token @param {number} output */
export function sentence(mask, seen, token, output) {
  const { stirred, broken, early, forbidden, most } = verdict(mask, seen.moved, token);
  const still = stirred.length === broken.length;
  const parts = [
    still
      ? `Token ${token} is changed: no output moves.`
      : `Token ${token} is changed: ${some(
          "output",
          stirred.filter((i) => !broken.includes(i)),
        )} move${stirred.length - broken.length > 1 ? "" : "s"}, by up to ${formatNumber(most)}.`,
  ];
  const leaks = forbidden.filter((i) => !broken.includes(i));
  if (leaks.length)
    parts.push(
      `A leak: the mask does not let ${some("quer", leaks).replace(/quers? /, leaks.length > 1 ? "queries " : "query ")} see it.`,
    );
  else if (early.some((i) => !broken.includes(i)))
    parts.push("Earlier outputs move: whoever writes from left to right would see the future.");
  if (broken.length)
    parts.push(`${some("Output", broken)} ${broken.length > 1 ? "are" : "is"} not a number.`);
  const places = mask.map((_, i) => i);
  const sums = seen.weights.map((row) => row.reduce((a, b) => a + b, 0));
  const short = places
    .filter((i) => Math.abs(sums[i] - 1) > 1e-9 && mask[i].includes(1))
    .map((i) => i + 1);
  if (short.length)
    parts.push(
      `The weights of ${short.length > 1 ? "queries" : "query"} ${listed(short)} do not sum to 1.`,
    );
  const empty = places.filter((i) => !mask[i].includes(1)).map((i) => i + 1);
  const given = empty.filter((i) => sums[i - 1] > 0);
  if (given.length)
    parts.push(
      `${given.length > 1 ? "Queries" : "Query"} ${listed(given)} may see nothing, and look${given.length > 1 ? "" : "s"} all the same.`,
    );
  const reached = places.filter((j) => seen.reach[j] > 1e-9).map((j) => j + 1);
  const nan = seen.reach.some(Number.isNaN);
  parts.push(
    nan
      ? `The gradient of output ${output} is not a number.`
      : reached.length
        ? `The gradient of output ${output} reaches ${some("input", reached)}.`
        : `The gradient of output ${output} reaches no input.`,
  );
  const uninvited = reached.filter((j) => j !== output && !mask[output - 1][j - 1]);
  if (uninvited.length) parts.push(`It should not reach ${listed(uninvited)}.`);
  return parts.join(" ");
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Paint a mask" });
  const n = shell.limits.mask.most;
  /** @type {import("./maths.js").Constants} */
  const constants = /** @type {any} */ (shell.limits).constants;
  const { presets } = constants;
  const preset = selectControl({
    label: "Mask",
    options: presets.map(([value, text]) => ({ value, text })),
  });
  preset.input.append(tag("option", { disabled: true, hidden: true }, "painted by hand"));
  preset.onInput((name) =>
    shell.set({ mask: structuredClone(presets.find(([known]) => known === name)?.[2]) }),
  );
  shell.controls.append(preset.element);
  shell.offer("rule", "Put on");
  shell.offer("token", "Leak test changes token");
  shell.offer("output", "Gradient of output");
  shell.offer("seed", "Seed");
  const hint =
    "Press a cell, or draw over several: what is striped may not be seen. By keyboard, arrow keys move, Space paints.";
  shell.controls.append(tag("p.ac-hint", hint));

  const { board, cells, moved, reach, below } = build(n);
  shell.picture.append(board);
  shell.onDestroy(painter(shell, board, cells));

  shell.show(() => {
    const { mask, rule, token, output, seed } = shell.state();
    const seen = look(mask, rule, token, output, seed, constants);
    const name = nameOf(mask, presets);
    if (name === "painted") preset.input.selectedIndex = preset.input.options.length - 1;
    else preset.set(name);
    const colours = mapColours(shell.colour, "seq");
    cells.forEach((row, i) =>
      row.forEach((cell, j) =>
        showCell(cell, seen.weights[i][j], mask[i][j] === 1, i, j, colours),
      ),
    );
    showMarks(
      moved,
      seen.moved,
      (i) => i !== token - 1 && !mask[i][token - 1],
      "moved",
      "output",
    );
    showMarks(
      reach,
      seen.reach,
      (j) => j !== output - 1 && !mask[output - 1][j],
      "reach",
      "gradient at input",
    );
    below.textContent = `the gradient of output ${output} arrives at inputs 1 to ${n}:`;
    board.querySelectorAll("span[data-row], span[data-column]").forEach((head) => {
      const { row, column } = /** @type {HTMLElement} */ (head).dataset;
      head.classList.toggle(
        "ac-mask-chosen",
        row === String(output) || column === String(token),
      );
    });
    shell.say(sentence(mask, seen, token, output));
  });
  return shell.destroy;
}

/** The grid with its margins; the cells stay the same elements for good. @param {number} n */
function build(n) {
  const places = Array.from({ length: n }, (_, i) => i);
  const keys = places.map((j) =>
    tag("span.ac-mask-key", { "data-column": j + 1, "aria-hidden": "true" }, `k${j + 1}`),
  );
  const corner = tag("span.ac-mask-note", { "aria-hidden": "true" });
  const right = tag("span.ac-mask-note", { "aria-hidden": "true" }, "output moves");
  const moved = places.map(() => tag("div.ac-mask-margin"));
  const cells = places.map((i) =>
    places.map((j) =>
      tag("button.ac-mask-cell", {
        type: "button",
        tabindex: i || j ? -1 : 0,
        "data-row": i,
        "data-column": j,
      }),
    ),
  );
  const rows = places.flatMap((i) => [
    tag("span.ac-mask-query", { "data-row": i + 1, "aria-hidden": "true" }, `q${i + 1}`),
    ...cells[i],
    moved[i],
  ]);
  const reach = places.map(() => tag("div.ac-mask-foot"));
  const below = tag("span.ac-mask-note.ac-mask-below", { "aria-hidden": "true" });
  const left = tag("span.ac-mask-note", { "aria-hidden": "true" });
  const board = tag(
    "div.ac-mask-board",
    { role: "group", "aria-label": "Mask and weights" },
    corner,
    ...keys,
    right,
    ...rows,
    below,
    left,
    ...reach,
  );
  return { board, cells, moved, reach, below };
}

/** @param {HTMLElement} cell @param {number} weight @param {boolean} sees @param {number} i @param {number} j @param {import("../kit/colour.js").Rgb[]} colours */
function showCell(cell, weight, sees, i, j, colours) {
  const number = Number.isNaN(weight);
  const text = number
    ? "NaN"
    : weight === 0
      ? sees
        ? "0"
        : ""
      : weight.toFixed(2).replace(/^0/, "");
  cell.textContent = text;
  cell.setAttribute("aria-pressed", String(sees));
  cell.setAttribute(
    "aria-label",
    `query ${i + 1}, key ${j + 1}: ${sees ? "may see" : "may not see"}, weight ${number ? "not a number" : formatNumber(weight)}`,
  );
  cell.classList.toggle("ac-mask-hidden", !sees);
  cell.classList.toggle("ac-mask-broken", number || (!sees && weight !== 0));
  // The middle of the map is left out: no text can be read on it.
  const tone = number ? 0 : weight < 0.5 ? 0.9 * weight : 0.5 + weight / 2;
  cell.style.setProperty("--ac-tone", css(shade(colours, tone)));
  cell.classList.toggle("ac-mask-deep", tone >= 0.5);
  tell(cell, `weight-${i}-${j}`, weight);
}

/** The exact value for tests; what is no number is not told. @param {HTMLElement} element @param {string} name @param {number} value */
function tell(element, name, value) {
  if (Number.isNaN(value)) {
    delete element.dataset.readout;
    delete element.dataset.value;
  } else {
    element.dataset.readout = name;
    element.dataset.value = String(value);
  }
}

/** Small numbers keep a digit. @param {number} x */
function brief(x) {
  if (Number.isNaN(x)) return "NaN";
  if (!(x > 1e-9)) return "0";
  return x >= 0.001
    ? (x >= 0.095 ? x.toFixed(2) : x.toPrecision(1)).replace(/^0/, "")
    : "<.001";
}

/** @param {HTMLElement[]} places @param {number[]} values @param {(i: number) => boolean} forbidden @param {string} name @param {string} word */
function showMarks(places, values, forbidden, name, word) {
  const most = Math.max(...values.map((x) => (Number.isNaN(x) ? 0 : x)), 1e-9);
  values.forEach((value, i) => {
    const broken = Number.isNaN(value);
    const there = broken || value > 1e-9;
    const wrong = there && (broken || forbidden(i));
    const size = broken ? 1 : Math.max(0.3, Math.sqrt(value / most));
    const mark = tag("span", {
      class: `ac-mask-dot${there ? "" : " ac-mask-none"}`,
      style: `--ac-size:${size.toFixed(3)}`,
      "aria-hidden": "true",
    });
    const told = tag("span.ac-offscreen", `${word} ${i + 1}: `);
    places[i].replaceChildren(
      mark,
      told,
      tag("span.ac-mask-number", brief(value) + (wrong && !broken ? "!" : "")),
    );
    places[i].classList.toggle("ac-mask-wrong", wrong);
    tell(places[i], `${name}-${i}`, value);
  });
}

/**
 * Painting by pointer and by keyboard. Returns what ends it.
 * @param {ReturnType<typeof createShell>} shell @param {HTMLElement} board @param {HTMLElement[][]} cells
 */
function painter(shell, board, cells) {
  /** @type {number | null} */
  let colour = null;
  let byPointer = false;
  const place = (/** @type {Element | null} */ element) => {
    const cell = element instanceof HTMLElement ? element.closest(".ac-mask-cell") : null;
    if (!(cell instanceof HTMLElement) || !board.contains(cell)) return null;
    return { cell, i: Number(cell.dataset.row), j: Number(cell.dataset.column) };
  };
  const put = (
    /** @type {number} */ i,
    /** @type {number} */ j,
    /** @type {number} */ value,
  ) => {
    const mask = shell.get("mask");
    if (mask[i][j] !== value) shell.set({ mask: paint(mask, i, j, value) });
  };
  const enter = (/** @type {number} */ i, /** @type {number} */ j) => {
    cells.flat().forEach((cell) => cell.setAttribute("tabindex", "-1"));
    cells[i][j].setAttribute("tabindex", "0");
    cells[i][j].focus();
  };
  board.addEventListener("pointerdown", (event) => {
    const at = place(/** @type {Element} */ (event.target));
    if (!at || event.button !== 0) return;
    event.preventDefault();
    byPointer = true;
    colour = 1 - shell.get("mask")[at.i][at.j];
    at.cell.releasePointerCapture?.(event.pointerId);
    enter(at.i, at.j);
    put(at.i, at.j, colour);
  });
  board.addEventListener("pointermove", (event) => {
    if (colour === null) return;
    const at = place(document.elementFromPoint(event.clientX, event.clientY));
    if (at) put(at.i, at.j, colour);
  });
  const end = () => void (colour = null);
  window.addEventListener("pointerup", end);
  window.addEventListener("pointercancel", end);
  board.addEventListener("click", (event) => {
    const at = place(/** @type {Element} */ (event.target));
    if (at && !byPointer) put(at.i, at.j, 1 - shell.get("mask")[at.i][at.j]);
    byPointer = false;
  });
  board.addEventListener("keydown", (event) => {
    const at = place(/** @type {Element} */ (event.target));
    const step = /** @type {Record<string, [number, number]>} */ ({
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    })[event.key];
    if (!at || !step) return;
    event.preventDefault();
    enter(
      Math.min(cells.length - 1, Math.max(0, at.i + step[0])),
      Math.min(cells.length - 1, Math.max(0, at.j + step[1])),
    );
  });
  return () => {
    window.removeEventListener("pointerup", end);
    window.removeEventListener("pointercancel", end);
  };
}

export default { render };
