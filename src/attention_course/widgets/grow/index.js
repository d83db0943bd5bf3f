// A language model grows: guess what the next part is worth, then see it over the runs recorded.
import { buttonControl, sliderControl } from "../kit/controls.js";
import { make } from "../kit/elements.js";
import { range } from "../kit/limits.js";
import { createShell } from "../kit/shell.js";
import { beside, change, mean, signed, tell } from "./maths.js";
import { drawModel } from "./picture.js";

/** @typedef {import("./maths.js").Stage} Stage */

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Grow a language model", controls: "above" });
  const { STAGES, WHOLE } = /** @type {{STAGES: Stage[], WHOLE: number}} */ (
    /** @type {any} */ (shell.limits.constants)
  );
  const last = STAGES.length - 1;
  const [low, high] = /** @type {[number, number]} */ (shell.limits.guess.slider);
  const slider = shell.add(
    sliderControl({
      label: "Guess the next loss",
      ...range(shell.limits.guess),
      step: 0.05,
      format: (x) => x.toFixed(2),
    }),
    "guess",
  );

  /** @param {number} guess 0 for none */
  const grow = (guess) => {
    const { stage, guesses } = shell.state();
    if (stage === last) return;
    const made = Array.from({ length: stage }, (_, i) => guesses[i] ?? 0);
    shell.set({ stage: stage + 1, guesses: [...made, guess] });
  };
  const [guess, show, back] = [
    buttonControl("Guess", () => grow(shell.get("guess"))),
    buttonControl("Show me", () => grow(0)),
    buttonControl("Back", () => shell.set({ stage: Math.max(0, shell.get("stage") - 1) })),
  ];
  shell.controls.append(make("div", "ac-grow-buttons", {}, guess, show, back));

  const at = (/** @type {number} */ x) =>
    `left: ${((100 * (Math.min(Math.max(x, low), high) - low)) / (high - low)).toFixed(2)}%`;
  const mark = (/** @type {string} */ name, /** @type {number} */ x) =>
    make("span", `ac-grow-${name}`, { style: at(x), "aria-hidden": true });
  const track = (/** @type {HTMLElement[]} */ ...marks) =>
    make("td", "ac-grow-cell", {}, make("span", "ac-grow-track", {}, ...marks));
  const number = (
    /** @type {string} */ name,
    /** @type {number} */ value,
    /** @type {string} */ words,
  ) => make("data", "", { "data-readout": name, "data-value": value }, words);

  /** @param {number} i @param {number[][]} losses @param {number[]} guesses */
  const row = (i, losses, guesses) => {
    const runs = losses[i];
    const moved =
      i > 0
        ? [
            number(
              `change-${i}`,
              mean(runs) - mean(losses[beside(i, WHOLE)]),
              signed(change(losses, i, WHOLE).by),
            ),
          ]
        : ["–"];
    const guessed = i > 0 && guesses[i - 1] ? [mark("guess", guesses[i - 1])] : [];
    return make(
      "tr",
      i > WHOLE ? "ac-grow-out" : "",
      {},
      make("th", "", { scope: "row" }, STAGES[i].name),
      track(...runs.map((x) => mark("run", x)), mark("mean", mean(runs)), ...guessed),
      make("td", "", {}, number(`mean-${i}`, mean(runs), mean(runs).toFixed(2))),
      make("td", "", {}, ...moved),
    );
  };

  const ticks = Array.from({ length: 6 }, (_, i) => low + (i * (high - low)) / 5);
  const scale = make(
    "span",
    "ac-grow-scale",
    { "aria-hidden": true },
    ...ticks.map((x) => make("span", "", { style: at(x) }, x.toFixed(1))),
  );
  const drawing = make("div", "ac-grow-drawing");
  const body = make("tbody");
  const head = ["model", "", "mean loss", "change"].map((name, i) =>
    make(
      "th",
      i === 1 ? "ac-grow-head" : "",
      { scope: "col" },
      ...(i === 1
        ? [make("span", "ac-offscreen", {}, "each run, in nats a word"), scale]
        : [name]),
    ),
  );
  const table = make(
    "table",
    "ac-table ac-grow-table",
    {},
    make("thead", "", {}, make("tr", "", {}, ...head)),
    body,
  );
  const legend = make("p", "ac-grow-legend", {});
  const sample = make("p", "ac-grow-sample");
  shell.picture.append(
    make(
      "div",
      "ac-grow-frame",
      {},
      drawing,
      make("div", "ac-grow-right", {}, table, legend, sample),
    ),
  );

  shell.show(() => {
    const { stage, guess: next, guesses } = shell.state();
    const [losses, samples, prompt] = [
      shell.get("losses"),
      shell.get("samples"),
      shell.get("prompt"),
    ];
    drawing.replaceChildren(drawModel(STAGES[stage], STAGES[stage ? beside(stage, WHOLE) : 0]));
    const rows = STAGES.slice(0, stage + 1).map((_, i) => row(i, losses, guesses));
    if (stage < last)
      rows.push(
        make(
          "tr",
          "ac-grow-next",
          {},
          make("th", "", { scope: "row" }, STAGES[stage + 1].name),
          track(mark("guess", next)),
          make("td", "", {}, "?"),
          make("td"),
        ),
      );
    body.replaceChildren(...rows);
    legend.textContent = `A dot for each run; bar: their mean; diamond: your guess. Change: from the row above${stage > WHOLE ? `, below the line from “${STAGES[WHOLE].name}”` : ""}.`;
    sample.replaceChildren(
      make("b", "", {}, "It writes: "),
      make("i", "", {}, prompt),
      ` ${samples[stage]}`,
    );
    const ended = stage === last;
    // What has the focus keeps it, so nothing is disabled for good.
    for (const control of [guess, show]) control.setAttribute("aria-disabled", String(ended));
    back.setAttribute("aria-disabled", String(stage === 0));
    slider.element.hidden = ended;
    shell.say(tell({ stages: STAGES, losses, stage, guesses, whole: WHOLE }));
  }, ["losses", "samples", "prompt"]);
  return shell.destroy;
}

export default { render };
