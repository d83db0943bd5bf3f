// The drawing of a model, to be read from below: what it has is drawn, what it lacks is dashed.
import { svg } from "../kit/elements.js";
import { looks, parts } from "./maths.js";

/** @typedef {import("./maths.js").Stage} Stage */

const [WIDTH, LEFT, RIGHT, RAIL] = [190, 46, 184, 22];

/** @param {Stage} now @param {Stage} before the model that it is compared with */
export function drawModel(now, before) {
  /** @type {SVGElement[]} */
  const drawn = [];
  let y = 0;
  /** @param {boolean} there @param {boolean} fresh */
  const look = (there, fresh) =>
    `${there ? "ac-grow-there" : "ac-grow-missing"}${fresh ? " ac-grow-fresh" : ""}`;
  /** @param {string} words @param {boolean} there @param {boolean} fresh @param {number} height */
  const box = (words, there, fresh, height = 25) => {
    y -= height;
    const style = look(there, fresh);
    drawn.push(svg("rect", { class: style, x: LEFT, y, width: RIGHT - LEFT, height, rx: 3 }));
    if (words)
      drawn.push(
        svg(
          "text",
          { class: `ac-grow-words ${style}`, x: (LEFT + RIGHT) / 2, y: y + height / 2 + 4.5 },
          words,
        ),
      );
    y -= 5;
  };
  const norm = (/** @type {boolean} */ there) =>
    box("", there && now.norm, now.norm !== before.norm, 5);
  /** @param {string} words @param {boolean} there @param {boolean} fresh */
  const part = (words, there, fresh) => {
    const from = y + 2;
    norm(there);
    box(words, there, fresh);
    const style = look(there && now.residual, now.residual !== before.residual);
    drawn.push(
      svg("path", {
        class: `ac-grow-rail ${style}`,
        d: `M${LEFT} ${from} H${RAIL} V${y - 4} H${LEFT + 8}`,
      }),
    );
    drawn.push(svg("text", { class: `ac-grow-words ${style}`, x: LEFT + 16, y: y + 1 }, "+"));
    y -= 13;
  };
  box("word vectors", true, false);
  box("positions", now.positions, now.positions !== before.positions);
  for (const block of [1, 2]) {
    const there = block <= now.blocks;
    const fresh = there && block > before.blocks;
    part(
      looks(now) || "attention",
      there && now.look !== "nothing",
      fresh || (there && looks(now) !== looks(before)),
    );
    part(
      "feed-forward",
      there && now.feed_forward,
      fresh || (there && now.feed_forward !== before.feed_forward),
    );
  }
  norm(true);
  box("output", true, false);
  return svg(
    "svg",
    {
      class: "ac-grow-model",
      viewBox: `0 ${y} ${WIDTH} ${-y + 2}`,
      role: "img",
      "aria-label": `The model: ${parts(now)}.`,
    },
    ...drawn,
  );
}
