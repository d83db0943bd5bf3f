// One query and a few keys in the plane: attention, and how a point is moved.
import { entropy, scaled_dot_product_attention, scaled_dot_scores } from "../kit/attention.js";
import { formatNumber } from "../kit/numbers.js";

/** @typedef {[number, number]} Point */

/** @param {Point} p @returns {Point} */
function unit([x, y]) {
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}

/**
 * Scores, weights, entropy and context of one query; the keys are the values.
 * @param {Point} query
 * @param {Point[]} keys
 * @param {string} score "dot", "scaled" or "cosine"
 * @param {number} temperature
 */
export function attend(query, keys, score, temperature) {
  const cosine = score === "cosine";
  const q = [cosine ? unit(query) : query];
  const k = cosine ? keys.map(unit) : keys;
  const factor = score === "scaled" ? 1 / Math.sqrt(2) : 1;
  const { weights, context } = scaled_dot_product_attention(q, k, keys, {
    scale: factor / temperature,
  });
  return {
    scores: scaled_dot_scores(q, k, factor)[0],
    weights: weights[0],
    entropy: entropy(weights[0]),
    context: context[0],
  };
}

/** The sides of the convex hull: pairs of points that have no other to their right. @param {Point[]} points @returns {[Point, Point][]} */
export function hull(points) {
  const left = (/** @type {Point} */ a, /** @type {Point} */ b) =>
    points.every((c) => (b[0] - a[0]) * (c[1] - a[1]) >= (b[1] - a[1]) * (c[0] - a[0]));
  return points.flatMap((a) =>
    points
      .filter((b) => (a[0] !== b[0] || a[1] !== b[1]) && left(a, b))
      .map((b) => /** @type {[Point, Point]} */ ([a, b])),
  );
}

/** What is seen, in words. @param {Point} query @param {Point[]} keys @param {ReturnType<typeof attend>} now */
export function tell(query, keys, { weights, context, entropy: h }) {
  const top = weights.indexOf(Math.max(...weights));
  const far = keys.map(([x, y]) => Math.hypot(x - query[0], y - query[1]));
  const nearest = far.indexOf(Math.min(...far));
  return (
    `Key ${top + 1} gets the largest weight, ${weights[top].toFixed(3)}` +
    (nearest === top
      ? ", and is also the nearest to the query. "
      : `, although key ${nearest + 1} is nearer to the query. `) +
    `The context is (${context.map((c) => formatNumber(c)).join(", ")}); the entropy of the weights is ${formatNumber(h)} nats.`
  );
}

/** A point moved by the arrow keys; null if the key is another. @param {Point} p @param {string} key @param {boolean} coarse @param {number} limit @returns {Point | null} */
export function nudge([x, y], key, coarse, limit) {
  const step = coarse ? 1 : 0.1;
  const moves = /** @type {Record<string, Point>} */ ({
    ArrowLeft: [-step, 0],
    ArrowRight: [step, 0],
    ArrowUp: [0, step],
    ArrowDown: [0, -step],
  });
  return key in moves ? snap([x + moves[key][0], y + moves[key][1]], limit) : null;
}

/** Inside the plane, on a grid of tenths. @param {Point} p @param {number} limit @returns {Point} */
export function snap(p, limit) {
  const [x, y] = p.map((c) => Math.min(limit, Math.max(-limit, Math.round(c * 10) / 10)) + 0);
  return [x, y];
}
