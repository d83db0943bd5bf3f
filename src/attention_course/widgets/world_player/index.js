// The player of the small world: a trained translator writes word by word, and its gaze can be cut.
import { buttonControl, checkControl, radioControl, selectControl } from "../kit/controls.js";
import { freshId, readout, tag } from "../kit/elements.js";
import { toggled } from "../kit/numbers.js";
import { player, still, stillNote } from "../kit/player.js";
import { createShell } from "../kit/shell.js";
import { recordedRun } from "../models/arrive.js";
import { UNCUT } from "../models/translators.js";
import { truthOf } from "./panel.js";
import { smallWorld } from "./arrived.js";
import { readWords } from "./truth.js";
import {
  aligned,
  cutsMade,
  cutsOf,
  layersOf,
  moved,
  rowsOfHeads,
  runs,
  writeOn,
} from "./maths.js";
import { pictureOf, tableOf } from "./view.js";
import { BLADES, line, named, sentence } from "./words.js";

/**
 * @typedef {ReturnType<typeof createShell>} Shell
 * @typedef {import("./arrived.js").Constants & {HEADS: number}} Constants
 * @typedef {import("./maths.js").State} State
 */

/** @type {Record<State["model"], string>} */
const TRANSLATORS = {
  fixed: "fixed vector",
  attention: "Bahdanau",
  transformer: "Transformer",
  transformer_2: "Transformer (2)", // with two layers
  luong: "general",
  luong_dot: "dot",
  luong_concat: "concat",
  luong_location: "location",
  local_m: "local-m",
  local_p: "local-p",
  gnmt: "GNMT",
};
const WAIT = 700; // between two words, in ms
const SLICE = 4; // of computing in a frame, in ms, and the piece that is begun then
const TURNS = 6; // frames, of which one draws what has been written so far

/** Play and pause, back and forward, all at once, and how fast. @param {Shell} shell @param {() => number} now @param {(step: number) => void} go @param {() => boolean} ended @param {number} last */
function transport(shell, now, go, ended, last) {
  const wait = () => WAIT / shell.get("speed");
  const { button: play, pause, giveWay } = player({ now, last, go, wait, ended });
  const by = (/** @type {() => void} */ move) => () => {
    pause();
    move();
  };
  const speed = selectControl({
    label: "Speed",
    options: shell.limits.speed.options.map((value) => ({ value, text: `${value} ×` })),
  });
  const back = buttonControl(
    "‹ Back",
    by(() => go(now() - 1)),
  );
  const next = buttonControl(
    "Next ›",
    by(() => go(now() + 1)),
  );
  const all = buttonControl(
    "To the end",
    by(() => go(last)),
  );
  const own = still() ? [] : [play]; // who wants no motion goes by hand, and is told so
  /** From the first word; who wants no motion gets the whole sentence. */
  const start = () => (own.length ? play.click() : go(last));
  const element = tag("div.ac-sp-buttons", back, ...own, next, all);
  if (own.length) shell.add(speed, "speed", element);
  else element.append(stillNote());
  return { element, pause, start, giveWay };
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  const compact = model.get("compact") === true;
  const constants = /** @type {Constants} */ (model.get("limits").constants);
  const shell = createShell(model, el, {
    title: "A trained translator, English to French",
    controls: "above",
    compact,
  });
  shell.root.classList.add("ac-sp");
  const { LONGEST, HEADS } = constants;
  const kept = runs();
  const rowOf = rowsOfHeads();
  let pointed = -1;
  let goals = ""; // whose words stand in the list, and of whom the line tells
  let told = "";
  let turn = 0;
  let shown = { written: 0, ended: false };

  const now = () =>
    shown.ended
      ? Math.min(shown.written, Number(shell.get("step")))
      : Number(shell.get("step")) || 0;
  const go = (/** @type {number} */ step) =>
    shell.set({ step: Math.max(0, Math.min(LONGEST, step)), chosen: 0 });
  const ended = () => shown.ended && Number(shell.get("step")) >= shown.written;
  // A cut may make the rest longer: who has seen the end wants to see the new one.
  const cut = (/** @type {Record<string, any>} */ values) =>
    shell.set(ended() ? { ...values, step: LONGEST } : values);
  const play = transport(shell, now, go, ended, LONGEST);
  shell.onDestroy(play.pause);

  const begin = (/** @type {string} */ text) => {
    play.pause();
    shown = { written: 0, ended: false };
    shell.set({ sentence: text, step: 0, chosen: 0, moves: [], forbidden: [] });
    play.start();
  };
  const { world, loadedBy, decidersOf, field } = smallWorld(model, shell, begin);
  let offered = false; // words, since the grammar has come
  /** @type {Set<State["model"]>} */
  const kinds = new Set([...model.get("models"), model.get("model")]);
  const choice = radioControl({
    label: "Translator",
    options: [...kinds].map((value) => ({ value, text: TRANSLATORS[value] })),
  });
  choice.onInput(() => cut({})); // another model may write more
  shell.add(choice, "model");
  shell.offer("truth", "Show what is true");
  play.element.append(...shell.buttons.children);
  shell.controls.append(play.element);

  const reactions = {
    forbid: (/** @type {number} */ j) => cut({ forbidden: toggled(shell.get("forbidden"), j) }),
    choose: (/** @type {number} */ i) =>
      shell.set({ chosen: shell.get("chosen") === i + 1 ? 0 : i + 1 }),
    point: (/** @type {number} */ i) => {
      pointed = i;
      shell.refresh();
    },
    move: (/** @type {number} */ i, /** @type {number} */ j) =>
      cut({ moves: moved(shell.get("moves"), i, j), chosen: i + 1 }),
  };
  const picture = pictureOf(reactions);
  const gaze = tag("select.ac-select", { id: freshId("gaze") });
  gaze.addEventListener("input", () =>
    cut({ moves: moved(shell.get("moves"), shell.get("chosen") - 1, Number(gaze.value)) }),
  );
  const gazeLabel = tag("label.ac-label", { for: gaze.id });
  const gazeRow = tag("div.ac-control.ac-sp-gaze", gazeLabel, gaze);

  /** A box that is ticked when a trait is not as the model was trained. @param {string} label @param {string} name @param {boolean} off */
  const cutBox = (label, name, off) => {
    const box = checkControl({ label });
    box.onInput((ticked) => cut({ [name]: ticked === off }));
    return { ...box, show: () => box.set(shell.get(name) === off) };
  };
  const backward = cutBox("Switch off the backward reader", "backward", false);
  const positions = cutBox(
    "Take the positions away (nothing in their place)",
    "positions",
    false,
  );
  const uniform = cutBox("Look at all words alike", "uniform", true);
  // The reader chooses the model, so what belongs to each is there.
  const boxes = [uniform, ...(compact ? [] : [backward, positions])];
  const layers = Math.max(...[...kinds].map(layersOf));
  const heads = compact ? [] : Array.from({ length: HEADS * layers }, (_, h) => h);
  const headBoxes = heads.map((h) => {
    const box = checkControl({ label: `${Math.floor(h / HEADS) + 1}.${(h % HEADS) + 1}` });
    box.input.setAttribute(
      "aria-label",
      `Silence head ${(h % HEADS) + 1} of layer ${Math.floor(h / HEADS) + 1}`,
    );
    box.onInput(() => cut({ silent: toggled(shell.get("silent"), h) }));
    return { ...box, show: () => box.set(shell.get("silent").includes(h)) };
  });
  const blades = radioControl({
    label: "In place of what is silenced",
    options: Object.entries(BLADES).map(([value, { text }]) => ({ value, text })),
  });
  blades.onInput((blade) => cut({ blade }));
  const undo = buttonControl("Undo all cuts", () =>
    cut({ ...UNCUT, blade: shell.get("blade"), chosen: 0 }),
  );
  const rule = tag(
    "p.ac-hint",
    "Press an English word to forbid it. Drag a French word onto an English one, or choose it and use the list, and its whole gaze goes there.",
  );
  const silence = tag(
    "fieldset.ac-fieldset.ac-sp-heads",
    tag("legend.ac-label", "Silence heads (layer.head)"),
    ...headBoxes.map(({ element }) => element),
  );
  const parts = [
    ...boxes.map(({ element }) => element),
    ...(heads.length ? [silence] : []),
    ...(compact ? [] : [blades.element]),
    undo,
  ];
  const scissors = tag(
    "fieldset.ac-fieldset.ac-sp-scissors",
    tag("legend.ac-label", "✂ Scissors"),
    rule,
    ...parts,
  );
  const headOptions = [
    { value: 0, text: "all, their mean" },
    ...heads.slice(0, HEADS).map((h) => ({ value: h + 1, text: `head ${h + 1}` })),
  ];
  const headChoice = selectControl({ label: "Heads of the last layer", options: headOptions });
  if (heads.length) shell.add(headChoice, "head");
  /** What a model does not have is not there to be cut. @param {State["model"]} which */
  const fit = (which) => {
    const has = HEADS * layersOf(which);
    backward.element.hidden = which !== "attention";
    blades.element.hidden = !has && backward.element.hidden;
    for (const part of [positions.element, silence, headChoice.element]) part.hidden = !has;
    headBoxes.forEach(({ element }, h) => (element.hidden = h >= has));
    scissors.hidden = which === "fixed";
  };

  const uncutLine = tag("p.ac-sp-line-of-text", { hidden: true });
  const fixedLine = tag("p.ac-sp-line-of-text");
  const table = tableOf();
  const truth = truthOf(shell, world, decidersOf);
  const tables = tag(
    "details.ac-sp-table",
    { hidden: true },
    tag("summary", "The weights as a table"),
    tag(
      "div.ac-sp-scroll",
      { tabindex: 0, role: "region", "aria-label": "Weights" },
      table.element,
    ),
  );
  const beside = tag("div.ac-sp-beside", uncutLine, fixedLine, scissors);
  picture.element.append(truth.element);
  const recorded = recordedRun(model, el);
  recorded.hidden = true;
  shell.picture.append(tag("div.ac-sp-panels", picture.element, beside), tables);
  shell.readout.after(recorded);

  shell.show(() => {
    const busy = (/** @type {boolean} */ is) =>
      shell.picture.setAttribute("aria-busy", String(is));
    busy(false); // until it is known that something is awaited
    const state = /** @type {State} */ (shell.state());
    play.giveWay(state.step);
    fit(state.model);
    recorded.hidden = false; // unless the models are there, or may come
    const known = world(state.step > 0);
    if (known && !offered) {
      offered = true;
      if (document.activeElement === field.input) field.input.click();
    }
    const words = readWords(state.sentence, known);
    [...boxes, ...headBoxes].forEach((box) => box.show());
    blades.set(state.blade);
    const made = cutsMade(state, HEADS, words.length);
    const cutNow = made.length > 0;
    const blade = made.some((cut) => /^(silent|backward)/.test(cut)) ? state.blade : null;
    undo.hidden = !cutNow;
    const loaded = loadedBy(state.model, state.step > 0);
    const rival = loadedBy("fixed", state.step > 0);
    recorded.hidden = true;
    const empty = {
      words,
      forbidden: state.forbidden,
      written: [],
      fresh: [],
      weights: [],
      at: -1,
      chosen: -1,
    };
    if (!state.step || !loaded || !rival || !known) {
      truth.clear();
      busy(state.step > 0);
      picture.draw(empty);
      gazeRow.remove();
      tables.hidden = uncutLine.hidden = true;
      table.draw(words, [], [], []);
      fixedLine.replaceChildren();
      told = "";
      shown = { written: 0, ended: false };
      return shell.say(
        state.step
          ? "The trained models are on their way …"
          : "The model reads the sentence, and then writes French, word by word. The first word fetches two models of 0.2 MB each, and the grammar, once.",
      );
    }
    const run = kept.get(state.model, loaded, words, cutsOf(state), LONGEST);
    const free = cutNow ? kept.get(state.model, loaded, words, UNCUT, LONGEST) : run;
    const fixed = kept.get("fixed", rival, words, UNCUT, LONGEST);
    turn = (turn + 1) % TURNS; // a frame that draws does not compute
    const until = turn ? performance.now() + SLICE : 0;
    const late = () => performance.now() > until;
    const done =
      writeOn([run, fixed], state.step, late) &&
      writeOn([free], cutNow ? LONGEST : state.step, late); // what is new shows beside the whole uncut sentence
    busy(!done);
    if (!done) shell.refresh();
    if (!done && turn) return;

    const texts = (/** @type {typeof run} */ one, /** @type {typeof loaded} */ { target }) =>
      one.written.slice(0, state.step).map(({ symbol }) => named(target.symbols, symbol));
    const [written, other] = [texts(run, loaded), texts(fixed, rival)];
    const uncut = free.written.map(({ symbol }) => named(loaded.target.symbols, symbol));
    if (!written.length) return;
    const seen = run.written.slice(0, state.step);
    const weights = seen.map((one) => rowOf(one.weights, state.head));
    shown = { written: run.written.length, ended: run.ended() };
    const chosen = state.chosen <= written.length ? state.chosen - 1 : -1;
    const pointing = pointed < written.length ? pointed : -1;
    const at = pointing >= 0 ? pointing : chosen;
    const all = shown.ended && written.length === shown.written;
    const facts = truth.show(words, written, weights, all);
    picture.draw({
      ...empty,
      written,
      fresh: cutNow ? aligned(written, uncut).fresh : [],
      weights,
      at,
      chosen,
      glosses: written.map(known.gloss),
      truth: facts,
    });

    if (chosen < 0 || state.model === "fixed") gazeRow.remove();
    else {
      if (!gazeRow.isConnected) boxes[0].element.before(gazeRow);
      gazeLabel.textContent = `Word ${chosen + 1}, “${written[chosen]}”, looks at`;
      if (goals !== (goals = words.join(" "))) {
        const texts = [
          "as it was trained to",
          ...words.map((word, j) => `only ${j + 1} ${word}`),
        ];
        gaze.replaceChildren(...texts.map((text, i) => tag("option", { value: i - 1 }, text)));
      }
      gaze.value = String(
        state.moves.find(([i, j]) => i === chosen && j < words.length)?.[1] ?? -1,
      );
    }
    uncutLine.hidden = !cutNow;
    fixedLine.hidden = state.model === "fixed";
    uncutLine.replaceChildren(
      ...(cutNow ? [tag("strong", "Without cuts: "), line(uncut)] : []),
    );
    if (told !== (told = `${words.join(" ")} ${other.length} ${fixed.ended()}`)) {
      const spans = other.map((word, i) =>
        tag("span", readout(`fixed-${i}`, fixed.written[i].symbol), line([word])),
      );
      const cutOff =
        fixed.ended() && other.length === LONGEST && other[LONGEST - 1] !== "(end)"
          ? ` (cut off after ${LONGEST} words)`
          : "";
      fixedLine.replaceChildren(
        tag("strong", "With one fixed vector, as many parameters: "),
        ...spans.flatMap((span) => [span, " "]),
        cutOff,
      );
    }
    tables.hidden = false;
    if (
      !table.draw(
        words,
        written,
        seen.map(({ symbol }) => symbol),
        weights,
      )
    ) {
      busy(true);
      shell.refresh();
    }
    const off = run.ended() && written.length === LONGEST && written[LONGEST - 1] !== "(end)";
    const last = at >= 0 ? at : written.length - 1;
    shell.say(
      sentence({
        words,
        written,
        uncut,
        cut: cutNow,
        forbidden: state.forbidden,
        blade,
        ended: run.ended() && written.length === run.written.length,
        off,
        at: last,
        weights: weights[last],
        truth: facts[last],
      }),
    );
  });
  return shell.destroy;
}

export default { render };
