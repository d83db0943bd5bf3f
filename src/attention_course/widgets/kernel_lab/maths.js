// What a multiprocessor has room for: as reference/scale/occupancy.py.

/**
 * @typedef {{gpu: string, d: number, block_q: number, block_k: number, warps: number, stages: number}} Cut
 * @typedef {{registers: number | null, spilled: number | null, shared: number | null, apart: number | null, overlapped: number | null, why: string}} Counted
 * @typedef {Cut & Counted} Row
 * @typedef {{warps: number, programs: number, shared: number}} Multiprocessor
 * @typedef {{cuts: any[][], multiprocessors: Record<string, Multiprocessor>, registers: number,
 *   units: {parts: number, warp: number, registers: number, shared: number, reserved: number}}} Constants
 * @typedef {"warps" | "programs" | "registers" | "shared memory"} Limit
 * @typedef {{programs: number, share: number, limitedBy: Limit, room: Record<Limit, number>, taken: Record<Limit, number>, has: Record<Limit, number>}} Resident
 */

/** @type {Limit[]} */
export const LIMITS = ["warps", "programs", "registers", "shared memory"];
const NAMES = [
  "gpu",
  "d",
  "block_q",
  "block_k",
  "warps",
  "stages",
  "registers",
  "spilled",
  "shared",
  "apart",
  "overlapped",
  "why",
];
const CUT = NAMES.slice(0, 6);

/** Every cut with what was made of it. @param {Constants} constants @returns {Row[]} */
export function rowsOf({ cuts }) {
  return cuts.map(
    (cut) => /** @type {any} */ (Object.fromEntries(NAMES.map((name, i) => [name, cut[i]]))),
  );
}

/** The row of a cut. @param {Row[]} rows @param {Cut} cut */
export function rowOf(rows, cut) {
  const found = rows.find((row) =>
    CUT.every((name) => /** @type {any} */ (row)[name] === /** @type {any} */ (cut)[name]),
  );
  if (!found) throw new Error(`no such cut: ${JSON.stringify(cut)}`);
  return found;
}

/** The cuts of this GPU and width. @param {Row[]} rows @param {Cut} cut */
export const besides = (rows, { gpu, d }) =>
  rows.filter((row) => row.gpu === gpu && row.d === d);

/** The highest bound apart of the cuts of this GPU and width. @param {Row[]} rows @param {Cut} cut */
export const highest = (rows, cut) =>
  Math.max(...besides(rows, cut).map(({ apart }) => apart ?? 0));

const up = (/** @type {number} */ x, /** @type {number} */ unit) => Math.ceil(x / unit) * unit;

/** What is resident on a multiprocessor; null if the cut does not compile. @param {Row} row @param {Constants} constants @returns {Resident | null} */
export function resident(
  { gpu, warps, registers, shared },
  { multiprocessors, registers: all, units },
) {
  if (registers === null || shared === null) return null;
  const { [gpu]: has } = multiprocessors;
  const aWarp = up(units.warp * registers, units.registers);
  const aProgram = up(shared + units.reserved, units.shared);
  const room = {
    warps: Math.floor(has.warps / warps),
    programs: has.programs,
    registers: Math.floor((units.parts * Math.floor(all / units.parts / aWarp)) / warps),
    "shared memory": Math.floor(has.shared / aProgram),
  };
  const limitedBy = LIMITS.reduce((least, limit) =>
    room[limit] < room[least] ? limit : least,
  );
  const programs = room[limitedBy];
  return {
    programs,
    limitedBy,
    room,
    share: (programs * warps) / has.warps,
    taken: { warps, programs: 1, registers: warps * aWarp, "shared memory": aProgram },
    has: {
      warps: has.warps,
      programs: has.programs,
      registers: all,
      "shared memory": has.shared,
    },
  };
}

/** A bound as it is shown. @param {number | null} x */
export const rounded = (x) => Math.floor(Number(x) + 0.5);
const plural = (/** @type {number} */ n, /** @type {string} */ what) =>
  n === 1 ? `${n} ${what}` : `${n} ${what}s`;

/** What is seen, in words: as `sentence` in widget.py. @param {Row} row @param {Resident | null} found @param {number} best @param {string} name of the GPU */
export function tell(row, found, best, name) {
  const cut = `${row.block_q} queries, ${row.block_k} keys, ${plural(row.warps, "warp")}, ${plural(row.stages, "stage")} on ${name.startsWith("B") ? "a" : "an"} ${name}, width ${row.d}: `;
  if (row.why || !found) return `${cut}this cut cannot run, ${row.why}.`;
  const spilled = row.spilled ? `${row.spilled} bytes` : "nothing";
  const all =
    row.apart === best ? " No cut of this GPU and width has a higher bound apart." : "";
  return `${cut}${row.registers} registers a thread, ${spilled} spilled. ${plural(found.programs, "program")} a multiprocessor, limited by ${found.limitedBy}: ${100 * found.share} % occupancy. At most ${rounded(row.apart)} TFLOP/s apart, ${rounded(row.overlapped)} at once.${all}`;
}
