// Trained while you watch: two small models learn a task in the page, side by side.
import { drawChart } from "../chart/chart.js";
import { buttonControl, numberControl } from "../kit/controls.js";
import { make } from "../kit/elements.js";
import { range } from "../kit/limits.js";
import { reading } from "../kit/reading.js";
import { sentenceField } from "../kit/sentence_field.js";
import { createShell } from "../kit/shell.js";
import { unpacked } from "../kit/world.js";
import { trainings } from "./runs.js";
import { symbolsOf } from "./training.js";
import { exactAt, lately, NAMES, onSource, sentence } from "./words.js";

/**
 * @typedef {ReturnType<typeof trainings>} Trainings
 * @typedef {Trainings["runs"][0]} Run
 * @typedef {import("./training.js").Shown} Shown
 * @typedef {{head: string[], rows: string[][], caption: string}} Table
 */

const COLOURS = ["var(--ac-series-1)", "var(--ac-series-2)"];
const DASHES = ["solid", "dash"];
const MOST = 12; // words and marks of a sentence
const TALLEST = 6; // nats: what the picture of the losses has room for

/** A fold with a table in it, and above the table what its numbers are. @param {string} summary */
function fold(summary) {
  const note = make("p", "ac-hint");
  const frame = make("div", "ac-lt-scroll", {
    tabindex: 0,
    role: "region",
    "aria-label": summary,
  });
  const element = /** @type {HTMLDetailsElement} */ (
    make("details", "ac-lt-fold", {}, make("summary", "", {}, summary), note, frame)
  );
  /** @param {Table} table */
  const fill = ({ head, rows, caption }) => {
    note.textContent = caption;
    const top = head.map((text) => make("th", "", { scope: "col" }, text));
    const body = rows.map(([first, ...rest]) =>
      make(
        "tr",
        "",
        {},
        make("th", "", { scope: "row" }, first),
        ...rest.map((text) => make("td", "", {}, text)),
      ),
    );
    frame.replaceChildren(
      make(
        "table",
        "ac-table",
        { "aria-label": summary },
        make("thead", "", {}, make("tr", "", {}, ...top)),
        make("tbody", "", {}, ...body),
      ),
    );
  };
  return { element, fill };
}

/** Losses so far. @param {Run[]} runs @param {number} step @param {any} x the axis @param {any} y @returns {import("../chart/layout.js").Chart} */
function lossChart(runs, step, x, y) {
  const places = Array.from({ length: step }, (_, i) => i + 1).filter(
    (at) => at % 5 === 0 || at === 1 || at === step,
  );
  return {
    title: "Loss, the mean of ten steps",
    x,
    y,
    height: 260,
    plain: true,
    series: runs.map(({ name, losses }, i) => ({
      kind: "line",
      name: NAMES[name],
      label: true,
      colour: { css: COLOURS[i] },
      dash: DASHES[i],
      x: places,
      y: places.map((at) => lately(losses, at)),
    })),
  };
}

/** Where attention looks. @param {Shown} shown @returns {import("../chart/layout.js").Chart} */
function gazeChart({ source, target, weights }) {
  const named = (/** @type {string} */ text) =>
    symbolsOf(text).map(
      (word, i, all) =>
        word + "\u200b".repeat(all.slice(0, i).filter((one) => one === word).length),
    );
  return {
    title: "Where attention looks for each word",
    x: { type: "category", categories: named(source), title: "word that was read (key)" },
    y: {
      type: "category",
      categories: named(target),
      title: "word to be written (query)",
      reversed: true,
    },
    height: 300,
    plain: true,
    series: [
      {
        kind: "heat",
        z: weights.flat(),
        columns: weights[0].length,
        range: [0, 1],
        map: "sequential",
        digits: 2,
        scaleTitle: "weight",
      },
    ],
  };
}

/** What a model has written, its mistakes marked. @param {string} written @param {string} target */
function marked(written, target) {
  const [got, wanted] = [symbolsOf(written), symbolsOf(target)];
  const wrong = wanted.filter((symbol, i) => symbol !== got[i]).length;
  const symbols = got.flatMap((symbol, i) => [
    i ? " " : "",
    symbol === wanted[i] ? symbol : make("mark", "ac-lt-wrong", {}, symbol),
  ]);
  const said =
    written === target
      ? " ✓"
      : ` (${wrong ? `${wrong} of ${wanted.length} wrong` : "too long"})`;
  return [make("code", "", {}, ...symbols), said];
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  const shell = createShell(model, el, {
    title: "Two models, trained in this page",
    controls: "above",
  });
  shell.root.classList.add("ac-lt");
  const { recorded, ...given } = model.get("training");
  const { steps: last, batch, every, tested } = given.setting;
  /** @type {Trainings | null} */
  let trained = null;
  let seed = -1; // of the trainings there are
  let playing = false;
  let played = 0; // where playing has come; a step that is another one was somebody's choice
  let broken = "";

  const pause = () => {
    playing = false;
    play.textContent = "Play";
  };
  const stop = () => {
    trained?.end();
    trained = null;
  };
  const play = buttonControl("Play", () => {
    if (playing) pause();
    else {
      if (shell.get("step") >= last) shell.set({ step: 0 });
      played = Number(shell.get("step"));
      playing = true;
      play.textContent = "Pause";
    }
    shell.refresh();
  });
  const one = buttonControl("Step", () => {
    pause();
    shell.set({ step: Math.min(last, Number(shell.get("step")) + 1) });
  });
  const anew = (/** @type {Record<string, number>} */ more) =>
    shell.set({ ...more, step: (played = 0) }); // what plays goes on
  const other = buttonControl("Other seed", () =>
    anew({ seed: (Number(shell.get("seed")) + 1) % (shell.limits.seed.max + 1) }),
  );
  const field = numberControl({ label: "Seed", ...range(shell.limits.seed) });
  shell.add(field, "seed");
  const { packed } = given.words;
  const own = sentenceField({
    label: "Your English sentence",
    language: "english",
    reader: () => reading(unpacked(JSON.parse(packed)), "english", MOST),
    characters: shell.limits.sentence.most,
    placeholder: "the lawyer eats the avocado",
    about: `Of the words that these models learn; at most ${MOST} with the mark at the end.`,
    any: true,
  });
  shell.add(own, "sentence");
  field.onInput(() => anew({}));
  shell.controls.append(
    make("div", "ac-lt-buttons", {}, play, one, other, ...shell.buttons.children),
  );

  const [left, side, lines, numbers] = [
    make("div"),
    make("div"),
    make("dl", "ac-lt-lines"),
    make("div", "", { hidden: true }),
  ];
  const [losses, gaze] = [drawChart(left), drawChart(side)];
  const table = fold("This training as a table");
  const others = fold("Three recorded trainings");
  others.fill(recorded);
  side.prepend(lines);
  shell.picture.append(make("div", "ac-lt-panels", {}, left, side), numbers);
  shell.readout.after(table.element, others.element); // the latter is there even where nothing can be trained
  /** @param {Run[]} runs @param {number} step */
  const draw = (runs, step) => {
    const [x, y] = [
      { type: "linear", range: [0, last], title: "training steps" },
      {
        type: "linear",
        range: [0, TALLEST],
        title: "loss (nats a word)",
      },
    ];
    losses.update(lossChart(runs, step, x, y));
    const values = step
      ? runs.flatMap(({ name, losses: all, exact }) => [
          [`loss-${name}`, lately(all, step)],
          [`exact-${name}`, exactAt(exact, step, every)],
        ])
      : [];
    numbers.replaceChildren(
      ...values
        .filter(([, value]) => value !== null)
        .map(([name, value]) =>
          make("data", "", { "data-readout": name, "data-value": value }),
        ),
    );
    const looks = runs[0].shown;
    side.hidden = table.element.hidden = !looks;
    if (!looks) return;
    gaze.update(gazeChart(looks));
    const mine = looks.own ? "your sentence" : "held-out sentence";
    lines.replaceChildren(
      make("dt", "", {}, mine),
      make("dd", "", {}, make("code", "", {}, looks.source)),
      ...runs.flatMap(({ name, shown }) => [
        make("dt", "", {}, NAMES[name]),
        make("dd", "", {}, ...marked(shown?.written ?? "", shown?.target ?? "")),
      ]),
      make("dt", "", {}, "right"),
      make("dd", "", {}, make("code", "", {}, looks.target)),
      make("dd", "ac-hint", {}, onSource(looks)),
    );
    const rows = Array.from({ length: Math.floor(step / every) }, (_, i) => (i + 1) * every);
    if (step % every) rows.push(step);
    const cells = (/** @type {number} */ at) =>
      runs.flatMap((run) => [
        lately(run.losses, at).toFixed(3),
        at % every ? "–" : run.exact[at].toFixed(2),
      ]);
    const head = [
      "step",
      ...runs.flatMap(({ name }) => [
        `${NAMES[name]}: loss`,
        `${NAMES[name]}: exact sentences`,
      ]),
    ];
    table.fill({
      head,
      rows: rows.map((at) => [String(at), ...cells(at)]),
      caption: `Seed ${seed}: the mean loss of ten steps, and the share of ${tested} held-out sentences without an error.`,
    });
  };

  const fail = (/** @type {string} */ message) => {
    broken = `This page cannot start a worker, so nothing can be trained in it (${message}). The recorded run is below.`;
    stop();
    pause();
    others.element.open = true;
    shell.refresh();
  };

  shell.show(() => {
    const busy = (/** @type {boolean} */ is) =>
      shell.picture.setAttribute("aria-busy", String(is));
    busy(false);
    const state = shell.state();
    if (broken) throw new Error(broken);
    const mine = (state.sentence && own.read(state.sentence).words) || [];
    const goal = Math.min(state.step, last);
    const reached = trained?.reached() ?? 0;
    if (playing && state.step !== played) pause();
    if (trained && (seed !== state.seed || (goal < reached && !playing))) stop();
    if (!trained) ({ seed } = state);
    if (!trained && state.step === 0 && !playing) {
      draw(
        [...Object.keys(given.setting.models)].map(
          (name) => /** @type {any} */ ({ name, losses: [], exact: {}, shown: null }),
        ),
        0,
      );
      return shell.say(
        `Nothing is trained yet. Press Play: both models start from seed ${state.seed} and get the same ${batch} sentences at each of ${last} steps.`,
      );
    }
    if (!trained) {
      try {
        trained = trainings(given, seed, shell.refresh, fail);
      } catch (problem) {
        return fail(problem instanceof Error ? problem.message : String(problem));
      }
    }
    const now = trained.reached();
    if (playing && now > state.step) shell.set({ step: (played = now) });
    if (playing && now >= last) pause();
    const more = trained.towards(playing ? last : goal, mine.join(" "));
    busy(more && !playing);
    if (!now) return shell.say("The first steps are on their way …");
    draw(trained.runs, now);
    shell.say(sentence({ step: now, seed, every, tested, runs: trained.runs }));
  });
  shell.onDestroy(stop);
  shell.onDestroy(() => [losses, gaze].forEach((chart) => chart.destroy()));
  return shell.destroy;
}

export default { render };
