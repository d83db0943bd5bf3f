// The image looker: a trained Vision Transformer names a picture, while patches are covered,
// swapped or drawn, heads silenced, and the map of one look is beside it.
// @ts-check
import {
  buttonGrid,
  chanceBars,
  drawSquares,
  emptyMap,
  paintGreys,
  panel,
  pixelCanvas,
  trainedModel,
} from "./grid.js";
import { DRAWING, coverOf } from "./maths.js";
import { BLADES, looked, token } from "./words.js";
import { radioControl, selectControl } from "../kit/controls.js";
import { readout, tag } from "../kit/elements.js";
import { toggled } from "../kit/numbers.js";
import { createShell } from "../kit/shell.js";

const SIDE = 28;
const PATCH = 4;
const ACROSS = SIDE / PATCH;
const MODES = [
  { value: "move", text: "moves a cover" },
  { value: "cover", text: "covers, or uncovers" },
  { value: "swap", text: "swaps two patches" },
  { value: "ask", text: "makes a patch ask" },
  { value: "draw", text: "draws" },
];

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, {
    title: "Image looker",
    controls: "above",
  });
  const constants = /** @type {any} */ (shell.limits).constants;
  const { CLOTHES, HEADS, LAYERS } = constants;
  const mode = () => String(shell.get("press"));
  /** @type {number | null} */
  let first = null; // of two patches that are to change places

  const names = [
    ...CLOTHES.map((/** @type {string} */ name, /** @type {number} */ i) => ({
      value: i,
      text: name,
    })),
    { value: DRAWING, text: "my own drawing" },
  ];
  const pictures = selectControl({ label: "Picture", options: names });
  shell.add(pictures, "picture");
  pictures.onInput((picture) => {
    if (picture === DRAWING) shell.set({ press: "draw", covered: [], swapped: [] });
    else if (mode() === "draw") shell.set({ press: "move" });
  });
  shell.add(
    radioControl({
      label: "Map of head",
      options: [
        { value: 0, text: "mean" },
        ...Array.from({ length: HEADS }, (_, h) => ({ value: h + 1, text: String(h + 1) })),
      ],
    }),
    "head",
  );
  shell.add(
    radioControl({
      label: "Map of layer",
      options: Array.from({ length: LAYERS }, (_, l) => ({
        value: l + 1,
        text: String(l + 1),
      })),
    }),
    "layer",
  );

  const modes = selectControl({ label: "A press on a patch", options: MODES });
  shell.add(modes, "press", tag("span"));
  modes.onInput((value) => {
    first = null;
    if (value === "draw" && shell.get("picture") !== DRAWING)
      shell.set({ picture: DRAWING, covered: [], swapped: [] });
  });

  const canvas = pixelCanvas(SIDE);
  const { grid, cells } = buttonGrid(
    ACROSS,
    "The picture, 7 by 7 patches: arrow keys move, Space presses",
    (to) => mode() === "move" && press(to),
  );
  const ghost = pixelCanvas(SIDE, "ac-look-faded");
  const map = emptyMap(SIDE);
  const answers = chanceBars(CLOTHES, "Probabilities of the classes");
  const heads = tag("div.ac-look-heads", {
    role: "group",
    "aria-label": "Heads that are silent",
  });
  const boxes = Array.from({ length: LAYERS * HEADS }, (_, h) => {
    const box = tag("input.ac-check", { type: "checkbox" });
    box.addEventListener("input", () => {
      shell.set({ silent: toggled(shell.get("silent"), h) });
    });
    heads.append(
      tag(
        "label.ac-check-label",
        box,
        `layer ${Math.floor(h / HEADS) + 1}, head ${(h % HEADS) + 1}`,
      ),
    );
    return box;
  });
  const blades = tag("div");
  shell.add(
    radioControl({
      label: "In place of what is covered or silent",
      options: Object.entries(BLADES).map(([value, { text }]) => ({ value, text })),
    }),
    "blade",
    blades,
  );
  const wipe = tag("button.ac-button", { type: "button" }, "Undo covers, swaps and drawing");
  wipe.addEventListener("click", () => {
    first = null;
    shell.set({ covered: [], swapped: [], drawn: [] });
  });
  const hidden = tag("div", { hidden: true });
  const note = tag("p.ac-look-note");
  const seen = panel("What the model gets", canvas, grid);
  const shown = panel("Where the chosen token looks", ghost, map);
  const rest = answers.element;
  const lively = tag(
    "div",
    modes.element,
    tag("div.ac-look-panels", seen, shown, rest),
    note,
    tag("div.ac-look-label", "Silence heads"),
    heads,
    blades,
    wipe,
    hidden,
  );
  const weights = trainedModel(model, shell, () => "images", 70, lively);

  const press = (/** @type {number} */ i) => {
    const { covered, swapped, drawn } = shell.state();
    if (mode() === "move") shell.set({ covered: [i] });
    if (mode() === "cover")
      shell.set({
        covered: toggled(covered, i),
      });
    if (mode() === "ask") shell.set({ asks: shell.get("asks") === i + 1 ? 0 : i + 1 });
    if (mode() === "draw") shell.set({ picture: DRAWING, drawn: union(drawn, pixelsOf(i)) });
    if (mode() === "swap") {
      if (swapped.length === 2) shell.set({ swapped: [] });
      if (first === null || first === i) first = first === i ? null : i;
      else {
        const pair = [first, i];
        first = null;
        shell.set({ swapped: pair });
      }
      shell.refresh();
    }
  };
  let pen = false;
  let dragged = false;
  const patchAt = (/** @type {PointerEvent} */ event) => {
    const { left, top, width, height } = grid.getBoundingClientRect();
    const [x, y] = [
      ((event.clientX - left) / width) * SIDE,
      ((event.clientY - top) / height) * SIDE,
    ].map((at) => Math.min(SIDE - 1, Math.max(0, Math.floor(at))));
    return { x, y, patch: Math.floor(y / PATCH) * ACROSS + Math.floor(x / PATCH) };
  };
  const stroke = (/** @type {PointerEvent} */ event) => {
    const { x, y, patch } = patchAt(event);
    if (mode() === "draw")
      shell.set({ picture: DRAWING, drawn: union(shell.get("drawn"), dab(x, y)) });
    else if (mode() === "move" && shell.get("covered")[0] !== patch)
      shell.set({ covered: [patch] });
  };
  grid.addEventListener("pointerdown", (event) => {
    dragged = false;
    pen = mode() === "draw" || mode() === "move";
    if (!pen) return;
    dragged = true;
    // A stroke that leaves the picture goes on when it comes back.
    grid.setPointerCapture(event.pointerId);
    stroke(event);
  });
  grid.addEventListener("pointermove", (event) => pen && stroke(event));
  for (const end of ["pointerup", "pointercancel"])
    grid.addEventListener(end, () => void (pen = false));
  grid.addEventListener("click", (event) => {
    const i = cells.indexOf(/** @type {any} */ (event.target));
    // A click by a key has detail 0, and is no end of a stroke.
    const byPointer = dragged && event.detail > 0;
    dragged = false;
    if (i >= 0 && !byPointer) press(i);
  });
  shell.show(() => {
    const state = shell.state();
    const tensors = weights();
    if (!tensors) return;
    const { pixels, other, swapped, now, row, said } = looked(tensors, state, constants);
    const cover = coverOf(tensors, { blade: state.blade, other });
    for (const one of [canvas, ghost]) paint(one, pixels, state.covered, cover, swapped);
    cells.forEach((cell, i) => {
      const marks = [
        state.covered.includes(i) && "covered",
        swapped.includes(i) && "swapped",
        first === i && "chosen to be swapped",
        state.asks === i + 1 && "asks",
      ].filter(Boolean);
      cell.setAttribute(
        "aria-label",
        `${token(i + 1)}${marks.length ? `, ${marks.join(", ")}` : ""}`,
      );
      cell.classList.toggle("ac-look-covered", state.covered.includes(i));
      cell.classList.toggle("ac-look-swapped", swapped.includes(i) || first === i);
      cell.classList.toggle("ac-look-asks", state.asks === i + 1);
    });
    boxes.forEach((box, h) => (box.checked = state.silent.includes(h)));
    shown.hidden = rest.hidden = !now;
    hidden.replaceChildren();
    note.textContent =
      mode() === "swap" && first !== null
        ? "Now choose the patch that it changes places with."
        : mode() === "draw"
          ? "Press and drag in the picture; with the keyboard, arrow keys move and Space fills a patch."
          : "";
    shell.say(said);
    if (!now) return;
    drawMap(map, row, state.asks);
    answers.set(now.chances);
    hidden.append(...row.map((w, j) => tag("span", readout(`weight-${j}`, w))));
  });
  return shell.destroy;
}

const union = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
  [...new Set([...a, ...b])].sort((one, other) => one - other);

/** A blot of two by two pixels. @param {number} x @param {number} y */
function dab(x, y) {
  const [across, down] = [Math.min(x, SIDE - 2), Math.min(y, SIDE - 2)];
  return [0, 1, SIDE, SIDE + 1].map((off) => down * SIDE + across + off);
}

/** @param {number} i */
function pixelsOf(i) {
  const start = Math.floor(i / ACROSS) * PATCH * SIDE + (i % ACROSS) * PATCH;
  return Array.from(
    { length: PATCH * PATCH },
    (_, n) => start + Math.floor(n / PATCH) * SIDE + (n % PATCH),
  );
}

/** With something in place of what is covered, and two patches in each other's place. @param {HTMLCanvasElement} canvas @param {number[]} pixels @param {number[]} covered @param {ArrayLike<number>} cover @param {number[]} swapped */
function paint(canvas, pixels, covered, cover, swapped) {
  const shown = new Float64Array(SIDE * SIDE);
  for (let i = 0; i < ACROSS * ACROSS; i++) {
    const from = swapped.includes(i) ? swapped[1 - swapped.indexOf(i)] : i;
    const source = pixelsOf(from);
    const what = covered.includes(from) ? cover : pixels;
    pixelsOf(i).forEach((at, n) => (shown[at] = what[source[n]]));
  }
  paintGreys(canvas, shown);
}

/** Squares whose area is the weight of a patch. @param {SVGElement} map @param {number[]} row class token first @param {number} asks */
function drawMap(map, row, asks) {
  const own = row.slice(1);
  const most = Math.max(...own);
  map.setAttribute(
    "aria-label",
    `Weights of ${token(asks)}; the most, ${most.toFixed(2)}, on ${token(own.indexOf(most) + 1)}; ${row[0].toFixed(2)} on the class token`,
  );
  drawSquares(map, own, ACROSS, PATCH);
}

export default { render };
