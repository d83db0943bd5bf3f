// Positions as clocks: what widget.py computes, for the browser.

/**
 * @typedef {{query: number[], keys: Record<string, number[]>, further: number, reach: number, slope: number}} Constants
 * @typedef {{kind: string, content: string, query_at: number, key_at: number, d: number}} State
 */

/** The angle of each pair at a position; pair p turns by 10000^(-2p/d) a step. @param {number} at @param {number} d */
export function angles(at, d) {
  return Array.from({ length: d / 2 }, (_, p) => at / 10000 ** ((2 * p) / d));
}

/** What each pair adds to the score. @param {State} state @param {Constants} constants */
export function parts({ kind, content, query_at, key_at, d }, { query, keys }) {
  const [i, j] = [angles(query_at, d), angles(key_at, d)];
  return i.map((_, p) => {
    const [q, k] = [query[p], keys[content][p]];
    if (kind === "rotary") return Math.cos(q + i[p] - k - j[p]) / Math.sqrt(d);
    const added =
      kind === "sinusoidal"
        ? Math.cos(i[p] - j[p]) + Math.sin(k + i[p]) + Math.sin(q + j[p])
        : 0;
    return (Math.cos(q - k) + added) / Math.sqrt(d);
  });
}

/** The score of the query at its position and the key at its own. @param {State} state @param {Constants} constants */
export function score(state, constants) {
  const lost =
    state.kind === "alibi" ? constants.slope * Math.abs(state.query_at - state.key_at) : 0;
  return parts(state, constants).reduce((sum, part) => sum + part, 0) - lost;
}

/** All that is shown. @param {State} state @param {Constants} constants */
export function look(state, constants) {
  const { query_at, key_at } = state;
  const { further, reach } = constants;
  const seen = Array.from(
    { length: Math.min(query_at, reach) + 1 },
    (_, n) => Math.max(0, query_at - reach) + n,
  );
  return {
    distance: query_at - key_at,
    score: score(state, constants),
    moved: score(
      { ...state, query_at: query_at + further, key_at: key_at + further },
      constants,
    ),
    parts: parts(state, constants),
    seen,
    curves: seen.map((at) => score({ ...state, key_at: at }, constants)),
  };
}

/**
 * The hands of a pair's clock, as angles from the right, anticlockwise: the query's and the key's,
 * and where they would stand at position 0.
 * @param {State} state @param {Constants} constants @param {number} p
 */
export function hands({ kind, content, query_at, key_at, d }, { query, keys }, p) {
  const [i, j] = [angles(query_at, d)[p], angles(key_at, d)[p]];
  // (sine, cosine) is the tip of a clock's hand: up at 0, and clockwise.
  if (kind === "sinusoidal")
    return {
      query: Math.PI / 2 - i,
      key: Math.PI / 2 - j,
      queryAtZero: Math.PI / 2,
      keyAtZero: Math.PI / 2,
    };
  const turned = kind === "rotary" ? 1 : 0;
  const [q, k] = [query[p], keys[content][p]];
  return { query: q + turned * i, key: k + turned * j, queryAtZero: q, keyAtZero: k };
}
