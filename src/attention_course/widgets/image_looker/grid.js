// A picture whose parts are pressed, painted dark on white, and a map of what each part weighs.
// @ts-check
import { buttonControl } from "../kit/controls.js";
import { tag, svg } from "../kit/elements.js";
import { arrivals } from "../models/arrive.js";

/**
 * Buttons over a picture, a square of them unless told: arrow keys move, one is reached by Tab.
 * @param {number} across buttons in a row
 * @param {string} label
 * @param {(i: number) => void} [moved] called when an arrow key has moved to a button
 * @param {number} [down] rows
 */
export function buttonGrid(across, label, moved = () => {}, down = across) {
  const grid = tag("div.ac-look-grid", { role: "group", "aria-label": label });
  grid.style.gridTemplate = `repeat(${down}, 1fr) / repeat(${across}, 1fr)`;
  const cells = Array.from({ length: down * across }, (_, i) =>
    tag("button.ac-look-cell", { type: "button", tabindex: i ? -1 : 0 }),
  );
  grid.append(...cells);
  grid.addEventListener("keydown", (event) => {
    const step = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    }[event.key];
    const from = cells.indexOf(/** @type {any} */ (event.target));
    if (!step || from < 0) return;
    event.preventDefault();
    const [row, column] = [Math.floor(from / across) + step[0], (from % across) + step[1]];
    if (row < 0 || column < 0 || row >= down || column >= across) return;
    const to = row * across + column;
    cells.forEach((cell, i) => (cell.tabIndex = i === to ? 0 : -1));
    cells[to].focus();
    moved(to);
  });
  return { grid, cells };
}

/** A picture of so many pixels a side. @param {number} side @param {string} [looks] */
export function pixelCanvas(side, looks = "") {
  return tag("canvas", {
    class: `ac-look-pixels ${looks}`,
    width: side,
    height: side,
    "aria-hidden": "true",
  });
}

/** Dark on white. @param {HTMLCanvasElement} canvas @param {ArrayLike<number>} pixels from 0 to 1 */
export function paintGreys(canvas, pixels) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(canvas.width, canvas.height);
  for (let i = 0; i < pixels.length; i++) {
    const grey = 255 * (1 - pixels[i]);
    image.data.set([grey, grey, grey, 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
}

/** @param {number} side of its coordinates */
export function emptyMap(side) {
  return svg("svg", { class: "ac-look-map", viewBox: `0 0 ${side} ${side}`, role: "img" });
}

/** Squares whose area is a weight; the heaviest is framed. @param {SVGElement} map @param {number[]} weights row by row @param {number} across @param {number} patch a part's side */
export function drawSquares(map, weights, across, patch) {
  const most = Math.max(...weights);
  map.replaceChildren(
    ...weights.map((w, i) => {
      const side = patch * Math.sqrt(w / most);
      const [x, y] = [(i % across) * patch, Math.floor(i / across) * patch].map(
        (low) => low + (patch - side) / 2,
      );
      return svg("rect", {
        class: w === most ? "ac-look-most" : "ac-look-weight",
        x,
        y,
        width: side,
        height: side,
      });
    }),
  );
}

/** Bars of probabilities, one below the other; `set` shows them and keeps each number in an attribute. @param {string[]} names @param {string} label */
export function chanceBars(names, label) {
  const element = tag("div.ac-look-answers", { role: "group", "aria-label": label });
  const bars = names.map((name) => {
    const bar = tag("span.ac-look-bar");
    const number = tag("span.ac-look-number");
    element.append(
      tag(
        "div.ac-look-answer",
        tag("span.ac-look-name", name),
        tag("span.ac-look-track", bar),
        number,
      ),
    );
    return { bar, number };
  });
  /** @param {number[] | null} chances none where nothing is answered */
  const set = (chances) =>
    bars.forEach(({ bar, number }, i) => {
      bar.style.width = chances ? `${(100 * chances[i]).toFixed(1)}%` : "0";
      number.textContent = chances ? chances[i].toFixed(2) : "";
      if (chances)
        Object.assign(number.dataset, { readout: `chance-${i}`, value: String(chances[i]) });
      else ["readout", "value"].forEach((name) => delete number.dataset[name]);
    });
  const answer = tag("div.ac-look-panel", tag("div.ac-look-label", "Its answer"), element);
  return { element: answer, set };
}

/** A picture with a label above; what lies upon it covers it. @param {string} label @param {...(Node | string)} layers */
export const panel = (label, ...layers) =>
  tag(
    "div.ac-look-panel",
    tag("div.ac-look-label", label),
    tag("div.ac-look-frame", ...layers),
  );

/**
 * What waits for the trained model: a button, and `lively`, which is there with the model.
 * @param {any} model of the widget @param {ReturnType<typeof import("../kit/shell.js").createShell>} shell
 * @param {() => string} name of the trained model @param {number} size of its file, in kB @param {HTMLElement} lively
 */
export function trainedModel(model, shell, name, size, lively) {
  const trained = arrivals(
    model,
    (weights) => weights.tensors,
    () => shell.refresh(),
  );
  const begin = buttonControl(`Load the trained model (about ${size} kB)`, () =>
    shell.set({ loaded: true }),
  );
  shell.picture.append(begin);
  shell.onDestroy(trained.end);
  /** Its weights; null while it is not there, which is said. */
  return () => {
    const { loaded } = shell.state();
    const tensors = loaded ? trained.get(name()) : null;
    begin.hidden = loaded;
    if (!tensors) {
      lively.remove(); // with its read-outs
      shell.say(
        loaded ? "The model is on its way." : "Nothing is loaded before you ask for it.",
      );
    } else if (!lively.isConnected) shell.picture.append(lively);
    return tensors;
  };
}
