// Local attention over a row of words: the window, the Gaussian, and what they leave.
import { softmax } from "../kit/attention.js";
import { formatNumber } from "../kit/numbers.js";
import { selectControl, sliderControl } from "../kit/controls.js";
import { make } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

const STATE = ["words", "scores", "kind", "centre", "half_width"];
const KINDS = ["global", "local-m", "local-p without Gaussian", "local-p"];

/** @param {string} name @param {string} expected @param {any} got */
function bad(name, expected, got) {
  return new Error(`${name} must be ${expected}, got ${JSON.stringify(got)}`);
}

/**
 * Softmax over the window alone, then the Gaussian; not normalised again.
 * @param {number[]} scores @param {number} p @param {number} halfWidth @param {boolean} gaussian
 */
export function localWeights(scores, p, halfWidth, gaussian) {
  const inside = scores.map((_, s) => Math.abs(s - p) <= halfWidth);
  const weights = softmax(scores.map((e, s) => (inside[s] ? e : -Infinity)));
  const sigma = halfWidth / 2;
  return weights.map((w, s) => (inside[s] && gaussian ? w * Math.exp(-((s - p) ** 2) / (2 * sigma * sigma)) : w));
}

/**
 * All that is shown.
 * @param {number[]} scores @param {string} kind @param {number} centre @param {number} halfWidth
 */
export function look(scores, kind, centre, halfWidth) {
  if (!Array.isArray(scores) || scores.length < 3 || scores.length > 16 || !scores.every((x) => Number.isFinite(x) && Math.abs(x) <= 20)) {
    throw bad("scores", "3 to 16 numbers from -20 to 20", scores);
  }
  if (!KINDS.includes(kind)) throw bad("kind", `one of ${KINDS.join(", ")}`, kind);
  if (!(centre >= 0 && centre <= 15)) throw bad("centre", "a number from 0 to 15", centre);
  if (!Number.isInteger(halfWidth) || halfWidth < 1 || halfWidth > 10) throw bad("half_width", "a whole number from 1 to 10", halfWidth);
  const everywhere = softmax(scores);
  const whole = kind === "global";
  const p = kind === "local-m" ? Math.floor(centre + 0.5) : centre;
  const inside = scores.map((_, s) => whole || Math.abs(s - p) <= halfWidth);
  const weights = whole ? everywhere : localWeights(scores, p, halfWidth, kind === "local-p");
  return {
    weights,
    everywhere,
    p,
    inside,
    first: inside.indexOf(true),
    last: inside.lastIndexOf(true),
    total: weights.reduce((a, b) => a + b, 0),
    seen: everywhere.reduce((sum, w, s) => (inside[s] ? sum + w : sum), 0),
  };
}

/** What is seen, in words. @param {string[]} words @param {string} kind @param {ReturnType<typeof look>} now */
export function tell(words, kind, now) {
  const best = now.everywhere.indexOf(Math.max(...now.everywhere));
  const seen = `${formatNumber(now.seen)} of the global weight`;
  const sum = ` The weights add up to ${formatNumber(now.total)}.`;
  if (kind === "global") return `Global attention sees every word and gives most to “${words[best]}”.${sum}`;
  const where = now.first < 0 ? "No word lies in the window: all weights are zero." : `The window reaches from “${words[now.first]}” to “${words[now.last]}” and holds ${seen}.`;
  const miss = now.first >= 0 && !now.inside[best] ? ` It misses “${words[best]}”, to which global attention would give most.` : "";
  return where + miss + sum;
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "A window on the source", state: STATE, controls: "above" });
  shell.controls.classList.add("ac-window-controls");
  shell.add(selectControl({ label: "Attention", options: KINDS }), "kind");
  const longest = Math.max(2, (shell.get("scores")?.length || 16) - 1);
  shell.add(sliderControl({ label: "Centre p", min: 0, max: longest, step: 0.1, format: (p) => p.toFixed(1) }), "centre");
  shell.add(sliderControl({ label: "Half-width D", min: 1, max: 10, step: 1 }), "half_width");

  const head = ["word", "weight: outline global, filled here", "weight"].map((name) => make("th", "", { scope: "col" }, name));
  const body = make("tbody");
  shell.picture.append(make("table", "ac-table ac-window", {}, make("thead", "", {}, make("tr", "", {}, ...head)), body));

  shell.show(() => {
    const [words, scores, kind] = [shell.get("words"), shell.get("scores"), shell.get("kind")];
    const now = look(scores, kind, shell.get("centre"), shell.get("half_width"));
    if (!Array.isArray(words) || words.length !== scores.length) throw bad("words", `one for each of ${scores.length} scores`, words);
    const percent = (/** @type {number} */ w) => `width:${(100 * w).toFixed(2)}%`;
    body.replaceChildren(
      ...words.map((/** @type {string} */ word, /** @type {number} */ s) => {
        const bars = make(
          "td", "ac-window-cell", {},
          make("span", "ac-window-global", { style: percent(now.everywhere[s]), "data-readout": `global_weight-${s}`, "data-value": now.everywhere[s] }),
          make("span", "ac-window-here", { style: percent(now.weights[s]) }),
        );
        const nearest = kind !== "global" && Math.floor(now.p + 0.5) === s;
        return make(
          "tr", now.inside[s] ? "ac-window-in" : "", {},
          make("th", "", { scope: "row" }, `${nearest ? "▸ " : ""}${word}`),
          bars,
          make("td", "ac-window-number", { "data-readout": `weight-${s}`, "data-value": now.weights[s] }, now.inside[s] ? now.weights[s].toFixed(3) : "–"),
        );
      }),
    );
    for (const name of /** @type {("p" | "first" | "last" | "total" | "seen")[]} */ (["p", "first", "last", "total", "seen"])) {
      let mark = /** @type {HTMLElement | null} */ (shell.picture.querySelector(`[data-readout="${name}"]`));
      if (!mark) shell.picture.append((mark = make("span", "ac-offscreen", { "data-readout": name, "aria-hidden": true })));
      mark.dataset.value = String(now[name]);
    }
    shell.say(tell(words, kind, now));
  });
  return shell.destroy;
}

export default { render };
