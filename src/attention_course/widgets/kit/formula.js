// Names such as d_k and √d_k, set as mathematics: in HTML and in SVG.
import { tag, svg } from "./elements.js";

const NAME = /(√?[A-Za-z]_[A-Za-z0-9])/;

/** A text as nodes; what is no formula stays as it is. @param {string} text @returns {(Node | string)[]} */
export function formula(text) {
  return text.split(NAME).map((part, i) => {
    if (i % 2 === 0) return part;
    const [root, letter, index] = [part.startsWith("√"), ...part.replace("√", "").split("_")];
    const name = tag("span.ac-math", tag("i", letter), tag("sub", tag("i", index)));
    return root ? tag("span.ac-root-of", "√", tag("span.ac-radicand", name)) : name;
  });
}

/** The same for SVG's text. @param {string} text @returns {(Node | string)[]} */
export function svgFormula(text) {
  return text.split(NAME).flatMap((part, i) => {
    if (i % 2 === 0) return part ? [part] : [];
    const [before, letter, index] = [
      part.startsWith("√") ? "√" : "",
      ...part.replace("√", "").split("_"),
    ];
    return [
      before,
      svg("tspan", { class: "ac-math" }, letter),
      svg("tspan", { class: "ac-math", dy: 3, "font-size": "0.75em" }, index),
      svg("tspan", { dy: -3 }, "\u200b"),
    ];
  });
}
