// What is true, beside what the model writes: a right translation, and where its words come from.
import { readout, tag } from "../kit/elements.js";
import { nearest, places } from "./truth.js";

const OTHERS = 3; // right translations that are named beside the nearest

/** @typedef {import("./view.js").Truth} Truth */

/** @param {ReturnType<typeof import("../kit/shell.js").createShell>} shell @param {() => import("./truth.js").World | null} world @param {(words: string[], right: import("./truth.js").Right) => number[][] | null} decidersOf */
export function truthOf(shell, world, decidersOf) {
  const line = tag("p.ac-sp-line-of-text.ac-sp-truth", { lang: "fr" });
  const also = tag("p.ac-sp-line-of-text", { lang: "fr" });
  const verdict = tag("p.ac-sp-line-of-text");
  const legend = tag(
    "p.ac-hint.ac-sp-legend",
    tag("span.ac-sp-key-from", { "aria-hidden": "true" }),
    " the word it comes from ",
    tag("span.ac-sp-key-decides", { "aria-hidden": "true" }),
    " a word that decides it in truth",
  );
  const element = tag("div.ac-sp-true", { hidden: true }, line, also, verdict, legend);
  /** @type {{ key: string, right: import("./truth.js").Right[] }} */
  let kept = { key: "", right: [] };
  const clear = () => {
    element.hidden = true;
    verdict.replaceChildren();
  };
  /**
   * Of each written word what is true of it: null where it is wrong; nothing while not asked for.
   * @param {string[]} words @param {string[]} written @param {number[][]} weights @param {boolean} whole whether all is written
   * @returns {(Truth | null)[]}
   */
  const show = (words, written, weights, whole) => {
    clear();
    if (!shell.get("truth")) return [];
    element.hidden = false;
    const key = words.join(" ");
    if (kept.key !== key)
      kept = { key, right: /** @type {import("./truth.js").World} */ (world()).right(words) };
    const text = written.filter((word) => word !== "(end)");
    const best = nearest(text, kept.right);
    const at = places(best.fresh, best.lost);
    const deciders = decidersOf(words, best.one);
    const rows = at.map((place, i) =>
      place < 0
        ? null
        : {
            from: best.one.from[place],
            deciders: deciders?.[place] ?? [],
            ...(best.fresh[i] ? { should: best.one.words[place] } : {}),
          },
    );
    const shares = rows.flatMap((row, i) =>
      !best.fresh[i] && row?.from.length && weights[i].length
        ? [row.from.reduce((sum, j) => sum + weights[i][j], 0)]
        : [],
    );
    const share = shares.reduce((sum, one) => sum + one, 0) / shares.length;
    const many = kept.right.length;
    line.replaceChildren(
      tag(
        "strong",
        { lang: "en" },
        many > 1 ? `The nearest of ${many} right translations: ` : "Right: ",
      ),
      ...best.one.words.flatMap((word, i) => [
        whole && best.lost[i] ? tag("span.ac-sp-missed", word) : word,
        " ",
      ]),
    );
    const wrong = best.fresh.filter(Boolean).length;
    const missed = best.lost.filter(Boolean).length;
    const said =
      wrong || (whole && missed)
        ? `${wrong} of the ${text.length} words written ${wrong === 1 ? "is" : "are"} wrong (wavy)${whole && missed > wrong ? `, and ${missed} of the right ones are missing` : ""}.`
        : `Every word ${whole ? "" : "so far "}is right.`;
    const others = kept.right.filter(({ words: one }) => one !== best.one.words);
    const more = others.slice(0, OTHERS).map(({ words: one }) => `“${one.join(" ")}”`);
    if (others.length > OTHERS) more.push(`and ${others.length - OTHERS} more`);
    also.textContent = whole && more.length ? `Right too: ${more.join(", ")}.` : "";
    verdict.replaceChildren(
      tag("span", readout("wrong", wrong), said),
      ...(shares.length
        ? [
            " ",
            tag(
              "span",
              readout("on-source", share),
              `On average ${(100 * share).toFixed(0)} % of a right word’s weight is on the word it comes from.`,
            ),
          ]
        : []),
    );
    return rows;
  };
  return { element, clear, show };
}
