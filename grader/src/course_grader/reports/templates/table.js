// Tables of marks as the marking page writes and reads them: the same as `safe_text.cell` and
// `tables.rows_in` in Python.
"use strict";

const SIGNS = "[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]";
const FORMULA = new RegExp(`^[ \u00a0]*${SIGNS}`);
const AFTER_SEMICOLON = new RegExp(`(;[ \u00a0]*)(?=${SIGNS})`, "g");
const GUARDED = new RegExp(`(;[ \u00a0]*)'(?=${SIGNS})`, "g");

/** Returns a text as `safe_text.cell` does: a spreadsheet shows it and calculates nothing. */
function cell(/** @type {string} */ text) {
  const plain = text
    .replace(/\r\n?|[\x85\u2028\u2029]/g, "\n")
    .replace(/[\p{Cc}\p{Cf}]/gu, (one) => ("\n\t\u200c\u200d".includes(one) ? one : ""))
    .replace(/[\p{Cs}\p{Co}\p{Cn}]/gu, "\ufffd");
  const line = plain.replace(/\t/g, " ").replace(AFTER_SEMICOLON, "$1'");
  return FORMULA.test(text) || FORMULA.test(line) ? `'${line}` : line;
}

/** Returns the text of which `cell` made this, as `safe_text.uncelled` does. */
function uncelled(/** @type {string} */ text) {
  const bare = text.replace(GUARDED, "$1");
  return [bare.replace(/^'/, ""), bare].find((one) => cell(one) === text) ?? text;
}

/** Returns the text of a table; quoted, so that a semicolon parts no cell. @param {string[][]} rows */
function tableOf(rows) {
  const lines = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(","));
  return `\ufeff${lines.join("\n")}\n`;
}

/** @param {ArrayBuffer} data */
function decoded(data) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    throw new Error("which is not in UTF-8: save the table as CSV UTF-8");
  }
}

/** Returns the rows of a table, each with its line. @param {string} text */
function rowsOf(text) {
  const head = text.split("\n", 1)[0];
  const by = head.split(";").length > head.split(",").length ? ";" : ",";
  const piece = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|((?!")[^${by}\\r\\n]*))(${by}|\\r\\n|[\\r\\n]|$)`, "gy");
  /** @type {{ line: number, cells: string[] }[]} */
  const rows = [];
  /** @type {string[]} */
  let cells = [];
  let line = 1;
  while (piece.lastIndex < text.length) {
    const found = piece.exec(text);
    if (!found) throw new Error(`line ${line}: a quotation mark is not in its place`);
    cells.push((found[1]?.replaceAll('""', '"') ?? found[2]).trim());
    if (found[3] === by) continue;
    rows.push({ line, cells });
    line += cells.join("").split("\n").length;
    cells = [];
  }
  return cells.length ? [...rows, { line, cells }] : rows;
}
