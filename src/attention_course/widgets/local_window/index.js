// Local attention over a row of words: the window, the Gaussian, and what they leave.
import { range, wrong } from "../kit/limits.js";
import { look } from "./maths.js";
import { formatNumber } from "../kit/numbers.js";
import { selectControl, sliderControl } from "../kit/controls.js";
import { make } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

/** What is seen, in words. @param {string[]} words @param {string} kind @param {ReturnType<typeof look>} now */
export function tell(words, kind, now) {
  const best = now.everywhere.indexOf(Math.max(...now.everywhere));
  const seen = `${formatNumber(now.seen)} of the global weight`;
  const sum = ` The weights add up to ${formatNumber(now.total)}.`;
  if (kind === "global")
    return `Global attention sees every word and gives most to “${words[best]}”.${sum}`;
  const where =
    now.first < 0
      ? "No word lies in the window: all weights are zero."
      : `The window reaches from “${words[now.first]}” to “${words[now.last]}” and holds ${seen}.`;
  const miss =
    now.first >= 0 && !now.inside[best]
      ? ` It misses “${words[best]}”, to which global attention would give most.`
      : "";
  return where + miss + sum;
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "A window on the source", controls: "above" });
  shell.controls.classList.add("ac-window-controls");
  shell.add(selectControl({ label: "Attention", options: shell.limits.kind.options }), "kind");
  const longest = (shell.get("scores")?.length || shell.limits.scores.most) - 1;
  shell.add(
    sliderControl({
      label: "Centre p",
      min: shell.limits.centre.min,
      max: longest,
      step: 0.1,
      format: (p) => p.toFixed(1),
    }),
    "centre",
  );
  shell.add(
    sliderControl({ label: "Half-width D", ...range(shell.limits.half_width), step: 1 }),
    "half_width",
  );

  const head = ["word", "weight: outline global, filled here", "weight"].map((name) =>
    make("th", "", { scope: "col" }, name),
  );
  const body = make("tbody");
  shell.picture.append(
    make(
      "table",
      "ac-table ac-window",
      {},
      make("thead", "", {}, make("tr", "", {}, ...head)),
      body,
    ),
  );

  shell.show(() => {
    const { words, scores, kind, centre, half_width } = shell.state();
    const now = look(scores, kind, centre, half_width);
    if (words.length !== scores.length)
      throw wrong("words", `one for each of ${scores.length} scores`, words);
    const percent = (/** @type {number} */ w) => `width:${(100 * w).toFixed(2)}%`;
    body.replaceChildren(
      ...words.map((/** @type {string} */ word, /** @type {number} */ s) => {
        const bars = make(
          "td",
          "ac-window-cell",
          {},
          make("span", "ac-window-global", {
            style: percent(now.everywhere[s]),
            "data-readout": `global_weight-${s}`,
            "data-value": now.everywhere[s],
          }),
          make("span", "ac-window-here", { style: percent(now.weights[s]) }),
        );
        const nearest = kind !== "global" && Math.floor(now.p + 0.5) === s;
        return make(
          "tr",
          now.inside[s] ? "ac-window-in" : "",
          {},
          make("th", "", { scope: "row" }, `${nearest ? "▸ " : ""}${word}`),
          bars,
          make(
            "td",
            "ac-window-number",
            { "data-readout": `weight-${s}`, "data-value": now.weights[s] },
            now.inside[s] ? now.weights[s].toFixed(3) : "–",
          ),
        );
      }),
    );
    for (const name of /** @type {("p" | "first" | "last" | "total" | "seen")[]} */ ([
      "p",
      "first",
      "last",
      "total",
      "seen",
    ])) {
      let mark = /** @type {HTMLElement | null} */ (
        shell.picture.querySelector(`[data-readout="${name}"]`)
      );
      if (!mark)
        shell.picture.append(
          (mark = make("span", "ac-offscreen", { "data-readout": name, "aria-hidden": true })),
        );
      mark.dataset.value = String(now[name]);
    }
    shell.say(tell(words, kind, now));
  });
  return shell.destroy;
}

export default { render };
