// The lab's numbers as a table: of the shown query, and of all.
import { tag } from "../kit/elements.js";
import { formatNumber } from "../kit/numbers.js";
import { FIGURES, shortWeight } from "./words.js";

/** `fill` writes the numbers. @param {import("./maths.js").Sizes} sizes */
export function makeFigures({ queries, dead: limit }) {
  const table = tag("table.ac-table.ac-figures");
  const head = ["", "this query", "median", "mean"].map((text) =>
    tag(text ? "th" : "td", { class: "", ...(text ? { scope: "col" } : {}) }, text),
  );
  /** @type {[HTMLElement, "shown" | "batch", string][]} */
  const cells = [];
  const rows = FIGURES.map(([, text, one, median, mean]) => {
    const row = tag("tr", tag("th", { scope: "row" }, text));
    for (const [part, name] of /** @type {["shown" | "batch", string][]} */ ([
      ["shown", one],
      ["batch", median],
      ["batch", mean],
    ])) {
      const cell = tag("td", name ? { "data-ac-figure": `${part}.${name}` } : {});
      if (name) cells.push([cell, part, name]);
      row.append(cell);
    }
    return row;
  });
  const last = tag("td", { colspan: 3, class: "ac-figures-note" });
  for (const [name, after] of [
    ["dead", ` of ${queries} queries are dead: their Jacobian norm is below ${limit}. `],
    ["gradient_norm_p99", " is the gradient's 99th percentile."],
  ]) {
    const cell = tag("span", { "data-ac-figure": `batch.${name}` });
    cells.push([cell, "batch", name]);
    last.append(cell, after);
  }
  rows.push(tag("tr", tag("th", { scope: "row" }, "Also"), last));
  table.append(
    tag("caption.ac-offscreen", "The shown query, and all"),
    tag("thead", tag("tr", ...head)),
    tag("tbody", ...rows),
  );
  /** @type {Map<HTMLElement, number>} */
  const written = new Map();
  /** @param {import("./maths.js").Numbers} numbers */
  const fill = (numbers) => {
    for (const [cell, part, name] of cells) {
      const value = /** @type {Record<string, any>} */ (numbers[part])[name];
      if (Object.is(written.get(cell), value)) continue;
      written.set(cell, value);
      cell.textContent =
        name === "dead"
          ? String(Math.round(value * queries))
          : name.startsWith("top")
            ? shortWeight(value)
            : formatNumber(value);
      // The full number, for tests and for the curious.
      cell.dataset.acValue = String(value);
    }
  };
  return { table, fill };
}
