// The image asker: a question, a picture that the reader lays out, both looks at it, the answer.
// A press on a look forces it there.
// @ts-check
import { NOTHING, layOut, pictureOf } from "./maths.js";
import { answered, placeInWords } from "./words.js";
import { questionField } from "./field.js";
import {
  buttonGrid,
  chanceBars,
  drawSquares,
  emptyMap,
  paintGreys,
  panel,
  pixelCanvas,
  trainedModel,
} from "../image_looker/grid.js";
import { radioControl, selectControl } from "../kit/controls.js";
import { readout, tag } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

const ACROSS = 3;
const SIDE = 42;
const LOOKS = /** @type {const} */ (["first", "second"]);

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Ask a picture", controls: "above" });
  const names = /** @type {import("./words.js").Names} */ (
    /** @type {any} */ (shell.limits).constants
  );
  const { ANSWERS, GARMENTS, PLACES, QUESTIONS } = names;
  const numbered = (/** @type {string[]} */ texts, from = 0) =>
    texts.map((text, i) => ({ value: i + from, text }));

  shell.add(
    questionField({ label: "Question: change a word", most: shell.limits.question.most }),
    "question",
  );
  shell.add(selectControl({ label: "Examples", options: QUESTIONS }), "question");
  for (const look of LOOKS)
    shell.add(
      selectControl({
        label: look === "first" ? "First look" : "Second look",
        options: [{ value: 0, text: "is its own" }, ...numbered(PLACES, 1)],
      }),
      look,
    );

  const laying = tag("div.ac-controls");
  const lively = tag("div", laying);
  shell.add(
    selectControl({
      label: "A press on the picture puts",
      options: [...numbered(GARMENTS), { value: NOTHING, text: "nothing" }],
    }),
    "brush",
    laying,
  );
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
    laying,
  );

  const canvas = pixelCanvas(SIDE);
  const plain = buttonGrid(
    ACROSS,
    "The picture, nine places: arrow keys move, Space lays down",
  );
  const looks = LOOKS.map((look) => {
    const ghost = pixelCanvas(SIDE, "ac-look-faded");
    const map = emptyMap(SIDE);
    const { grid, cells } = buttonGrid(
      ACROSS,
      `The ${look} look: arrow keys move, Space forces it there, or lets it go`,
    );
    cells.forEach((cell, i) =>
      cell.addEventListener("click", () =>
        shell.set({ [look]: shell.get(look) === i + 1 ? 0 : i + 1 }),
      ),
    );
    return { look, ghost, map, grid, cells };
  });
  const answers = chanceBars(ANSWERS, "Probabilities of the answers");
  const hidden = tag("div", { hidden: true });
  plain.cells.forEach((cell, i) =>
    cell.addEventListener("click", () =>
      shell.set({
        contents: shell
          .get("contents")
          .map((/** @type {number} */ kind, /** @type {number} */ at) =>
            at === i ? shell.get("brush") : kind,
          ),
      }),
    ),
  );
  const panels = [
    panel("The picture", canvas, plain.grid),
    ...looks.map(({ look, ghost, map, grid }) =>
      panel(
        look === "first" ? "First look: press to force it" : "Second look: press to force it",
        ghost,
        /** @type {any} */ (map),
        grid,
      ),
    ),
    answers.element,
  ];
  lively.append(tag("div.ac-look-panels", ...panels), hidden);
  const weights = trainedModel(model, shell, () => "asker", 80, lively);

  /** What is shown where there is no answer. @param {string} why */
  const silent = (why) => {
    looks.forEach(({ map }) => {
      map.replaceChildren();
      map.setAttribute("aria-label", "No look");
    });
    answers.set(null);
    hidden.replaceChildren();
    shell.say(why);
  };

  shell.show(() => {
    const state = shell.state();
    const { contents } = state;
    const tensors = weights();
    if (!tensors) return;
    const cells = layOut(tensors, contents, state.photograph);
    for (const one of [canvas, ...looks.map(({ ghost }) => ghost)])
      paintGreys(one, pictureOf(cells));
    plain.cells.forEach((cell, i) =>
      cell.setAttribute("aria-label", placeInWords(i, contents, names)),
    );
    looks.forEach(({ look, cells: buttons }) =>
      buttons.forEach((button, i) => {
        button.setAttribute("aria-label", placeInWords(i, contents, names));
        button.setAttribute("aria-pressed", String(state[look] === i + 1));
      }),
    );
    const { now, said } = answered(tensors, state, names);
    if (!now) return silent(said);
    looks.forEach(({ look, map }, t) => {
      const told = now.looks[t].map(
        (w, i) => `${placeInWords(i, contents, names)} ${w.toFixed(2)}`,
      );
      map.setAttribute("aria-label", `Weights of the ${look} look: ${told.join(", ")}`);
      drawSquares(map, now.looks[t], ACROSS, SIDE / ACROSS);
    });
    answers.set(now.chances);
    hidden.replaceChildren(
      ...now.looks.flatMap((row, t) =>
        row.map((w, i) => tag("span", readout(`look-${t + 1}-${i}`, w))),
      ),
    );
    shell.say(said);
  });
  return shell.destroy;
}

export default { render };
