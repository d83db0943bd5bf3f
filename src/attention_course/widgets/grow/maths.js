// What the growing model shows and says: pure functions, equal to attention_course.widgets.grow.

/** @typedef {{name: string, act: string, look: "nothing" | "itself" | "mean" | "itself and mean" | "four places" | "weights", heads: number, feed_forward: boolean, blocks: number, positions: boolean, residual: boolean, norm: boolean}} Stage */

/** @param {number[]} runs */
export const mean = (runs) => runs.reduce((sum, x) => sum + x, 0) / runs.length;

/** The model that the i-th is compared with. @param {number} i @param {number} whole the largest */
export const beside = (i, whole) => Math.min(i - 1, whole);

/** How far the i-th model is from the one it is compared with, and whether some of their runs change places. @param {number[][]} losses @param {number} i @param {number} whole */
export function change(losses, i, whole) {
  const [before, now] = [losses[beside(i, whole)], losses[i]];
  const overlap =
    Math.max(...now) >= Math.min(...before) && Math.max(...before) >= Math.min(...now);
  return { by: mean(now) - mean(before), overlap };
}

/** @param {number} x */
export const signed = (x) =>
  Math.abs(x) < 0.005 ? "0.00" : `${x > 0 ? "+" : "−"}${Math.abs(x).toFixed(2)}`;

/** What attention does in a model. @param {Stage} stage */
export function looks({ look, heads }) {
  if (look === "weights") return heads === 1 ? "one head" : "four heads";
  return {
    nothing: "",
    itself: "two matrices",
    mean: "mean of the past",
    "itself and mean": "itself and the mean",
    "four places": "four fixed places",
  }[look];
}

/** The parts of a model, for those who do not see its drawing. @param {Stage} stage */
export function parts(stage) {
  const block = [looks(stage), stage.feed_forward ? "feed-forward part" : ""]
    .filter(Boolean)
    .join(", ");
  const around = [
    stage.residual ? "residuals" : "no residuals",
    stage.norm ? "normalisations" : "no normalisations",
  ].join(", ");
  const inside = block
    ? `${stage.blocks === 1 ? "one block" : "two blocks"} of ${block}; ${around}; `
    : "";
  return `word vectors${stage.positions ? " and positions" : ""}; ${inside}output`;
}

/** @param {number[]} runs */
const ofRuns = (runs) =>
  runs.length === 1
    ? "one run"
    : `mean of ${runs.length} runs, ${Math.min(...runs).toFixed(2)} to ${Math.max(...runs).toFixed(2)}`;

/** The read-out. @param {{stages: Stage[], losses: number[][], stage: number, guesses: number[], whole: number}} state */
export function tell({ stages, losses, stage, guesses, whole }) {
  const [now, runs] = [stages[stage], losses[stage]];
  const said = [
    `${now.name[0].toUpperCase()}${now.name.slice(1)}: ${mean(runs).toFixed(2)} nats a word, ${ofRuns(runs)}.`,
  ];
  if (stage > 0) {
    const { by, overlap } = change(losses, stage, whole);
    const other = `“${stages[beside(stage, whole)].name}”`;
    const size = Math.abs(by).toFixed(2);
    said.push(
      overlap
        ? `Its runs and those of ${other} overlap: the means differ by ${size}.`
        : `That is ${size} ${by < 0 ? "less" : "more"} than ${other}, and no runs overlap.`,
    );
    const off = (guesses[stage - 1] || NaN) - mean(runs);
    if (!Number.isNaN(off))
      said.push(
        Math.abs(off) < 0.05
          ? "You guessed it within 0.05."
          : `Your guess was ${Math.abs(off).toFixed(2)} too ${off > 0 ? "high" : "low"}.`,
      );
  }
  if (stage + 1 < stages.length)
    said.push(`Next: ${stages[stage + 1].act}. What will the loss be?`);
  return said.join(" ");
}
