// The picture teller: two garments that the reader chooses; the caption word by word with the
// look before each, or an answer after two looks. A press on the picture turns the look shown.
// @ts-check
import { ACROSS, DOWN } from "./maths.js";
import { asked, cellInWords, told } from "./words.js";
import { questionField } from "../image_asker/field.js";
import {
  buttonGrid,
  chanceBars,
  drawSquares,
  emptyMap,
  pixelCanvas,
  trainedModel,
} from "../image_looker/grid.js";
import { radioControl, selectControl } from "../kit/controls.js";
import { readout, tag } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

const SIDES = /** @type {const} */ (["left", "right"]);
const WAYS = [
  { value: "soft", text: "soft" },
  { value: "hard", text: "hard" },
  { value: "even", text: "even", spoken: "even: no attention" },
];

/** Colours on white: what is dark on black is pale here. @param {HTMLCanvasElement} canvas @param {import("./maths.js").Planes} picture */
function paint(canvas, { planes }) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(canvas.width, canvas.height);
  for (let i = 0; i < planes[0].length; i++)
    image.data.set([...planes.map((plane) => 255 * plane[i]), 255], 4 * i);
  context.putImageData(image, 0, 0);
}

/** The words, or the looks, in a row, each a button. @param {string} label @param {(word: number) => void} press */
function wordRow(label, press) {
  const element = tag("div.ac-tell-words", { role: "group", "aria-label": label });
  /** @param {{text: string, note: string, spoken: string, chance?: number}[]} words @param {number} shown from 1 */
  const set = (words, shown) => {
    while (element.children.length < words.length) {
      const at = element.children.length + 1;
      const button = tag("button.ac-tell-word", { type: "button", lang: "en" });
      button.append(tag("span"), tag("span.ac-tell-chance"));
      button.addEventListener("click", () => press(at));
      element.append(button);
    }
    while (element.children.length > words.length) element.lastChild?.remove();
    words.forEach(({ text, note, spoken, chance }, t) => {
      const button = /** @type {HTMLElement} */ (element.children[t]);
      const [word, number] = /** @type {any} */ (button.children);
      word.textContent = text;
      number.textContent = note;
      if (chance !== undefined)
        Object.assign(number.dataset, { readout: `chance-${t}`, value: String(chance) });
      button.setAttribute("aria-pressed", String(t === shown - 1));
      button.setAttribute("aria-label", spoken);
    });
  };
  return { element, set };
}

/** A caption's words for their row. @param {import("./words.js").Told[]} words */
const wordsShown = (words) =>
  words.map(({ text, chance, right, turned }, t) => ({
    text: right ? text : `${text} ✗`,
    note: `${turned ? "turned, " : ""}${chance.toFixed(2)}`,
    spoken: `word ${t + 1}: ${text}, ${right ? "right" : "wrong"}, probability ${chance.toFixed(2)}`,
    chance,
  }));

/** The two looks for their row. @param {number[][]} shares on the left and right garment @param {number[]} turned */
const looksShown = (shares, turned) =>
  shares.map(([left, right], t) => {
    const where = left > right ? `left ${left.toFixed(2)}` : `right ${right.toFixed(2)}`;
    const text = t ? "second look" : "first look";
    const note = turned[t] ? "turned" : where;
    return { text, note, spoken: `${text}: ${note}` };
  });

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const asks = model.get("task") === "questions";
  const title = asks ? "Ask about a picture" : "Tell a picture";
  const shell = createShell(model, el, { title, controls: "above" });
  const names = /** @type {import("./maths.js").Names} */ (
    /** @type {any} */ (shell.limits).constants
  );
  const lists = [names.SIZES, Object.keys(names.TINTS), names.WORN];
  for (const side of SIDES) {
    const row = tag("div.ac-tell-side", { role: "group", "aria-label": `${side} garment` });
    shell.controls.append(row);
    lists.forEach((options, sort) => {
      const control = selectControl({
        label: [side === "left" ? "Left: size" : "Right: size", "colour", "garment"][sort],
        options,
      });
      const parts = () => String(shell.get(side)).split(" "); // a link may bring anything
      const shown = () => control.set(parts()[sort]);
      control.onInput((value) =>
        shell.set({
          [side]: parts()
            .map((/** @type {string} */ old, /** @type {number} */ i) =>
              i === sort ? value : old,
            )
            .join(" "),
        }),
      );
      model.on(`change:${side}`, shown);
      shell.onDestroy(() => model.off(`change:${side}`, shown));
      shown();
      row.append(control.element);
    });
  }
  shell.add(
    radioControl({
      label: "Photographs",
      options: [1, 2, 3, 4].map((value) => ({
        value,
        text: String(value),
        spoken: `set ${value}`,
      })),
    }),
    "photograph",
  );
  if (asks)
    shell.add(
      questionField({ label: "Question", most: shell.limits.question.most }),
      "question",
    );
  else shell.add(radioControl({ label: "Attention", options: WAYS }), "way");

  const row = wordRow(asks ? "The looks" : "The caption", (word) => shell.set({ word }));
  const answers = asks ? chanceBars(names.ANSWERS, "Probabilities of the answers") : null;
  const canvas = pixelCanvas(4 * ACROSS);
  canvas.height = 4 * DOWN;
  const map = emptyMap(4 * ACROSS);
  map.setAttribute("viewBox", `0 0 ${4 * ACROSS} ${4 * DOWN}`);
  const { grid, cells } = buttonGrid(
    ACROSS,
    "The picture, 7 rows of 14 cells: arrow keys move, Space turns the look there, or lets it go",
    () => {},
    DOWN,
  );
  /** Which word or look is shown, from 1. */
  const at = () => (asks ? Math.min(shell.get("word"), 2) : shell.get("word"));
  cells.forEach((cell, i) =>
    cell.addEventListener("click", () => {
      const { turned } = shell.state();
      const word = at();
      const next = Array.from(
        { length: Math.max(word, turned.length) },
        (_, t) => turned[t] ?? 0,
      );
      next[word - 1] = next[word - 1] === i + 1 ? 0 : i + 1;
      shell.set({ turned: next });
    }),
  );
  const free = tag("button.ac-button", { type: "button" }, "Let all looks go");
  free.addEventListener("click", () => shell.set({ turned: [] }));
  const frame = tag("div.ac-look-frame.ac-tell-frame", canvas, map, grid);
  const hidden = tag("div", { hidden: true });
  const lively = tag("div", row.element, frame, free, hidden);
  if (answers) lively.append(answers.element);
  const way = () => (asks ? "questions_two_looks" : `captions_${shell.get("way")}`);
  const weights = trainedModel(model, shell, way, 120, lively);

  /** @param {any} tensors @param {any} state */
  const written = (tensors, state) => {
    const { steps, words, ...found } = told(tensors, state, names);
    row.set(wordsShown(words), Math.min(at(), words.length));
    return { ...found, shown: steps[Math.min(at(), steps.length) - 1].weights };
  };
  /** @param {any} tensors @param {any} state */
  const answered = (tensors, state) => {
    const found = asked(tensors, state, names);
    row.set(looksShown(found.shares ?? [], state.turned), at());
    answers?.set(found.chances ?? null);
    return { ...found, shown: found.looks[at() - 1] ?? [] };
  };

  shell.show(() => {
    const state = shell.state();
    const tensors = weights();
    if (!tensors) return;
    const { picture, owners, said, shown } = (asks ? answered : written)(tensors, state);
    paint(canvas, picture);
    drawSquares(map, shown, ACROSS, 4);
    map.setAttribute(
      "aria-label",
      asks ? `Weights of look ${at()}` : `Weights of the look before word ${at()}`,
    );
    const place = ["nothing", "left garment", "right garment"];
    cells.forEach((cell, i) => {
      cell.setAttribute("aria-label", `${cellInWords(i)}, ${place[owners[i] + 1]}`);
      cell.setAttribute("aria-pressed", String(state.turned[at() - 1] === i + 1));
    });
    free.hidden = !state.turned.some(Boolean);
    hidden.replaceChildren(...shown.map((w, i) => tag("span", readout(`weight-${i}`, w))));
    shell.say(said);
  });
  return shell.destroy;
}

export default { render };
