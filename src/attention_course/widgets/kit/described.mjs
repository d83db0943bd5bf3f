// What a widget's own script says of a state, without a page: its read-outs and its fallback.
//
// Python (in_node.py) starts this and writes a line {folder, state} for each question.
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Numbers by name: `[3, 4]` under "weight" is weight-0 and weight-1, as the page names them. */
export function flat(numbers, name = "") {
  if (typeof numbers !== "object") return { [name]: numbers };
  return Object.assign(
    {},
    ...Object.entries(numbers).map(([key, value]) =>
      flat(value, name ? `${name}-${key}` : key),
    ),
  );
}

/** What `describe.js` in a widget's folder says: read-outs by name, a sentence, a table. */
export async function described(folder, state) {
  const { describe } = await import(`../${folder}/describe.js`);
  const said = await describe(state);
  return { ...said, readouts: flat(said.readouts) };
}

const asText = (_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { folder, state } = JSON.parse(line);
    const answer = await described(folder, state).catch((error) => ({ error: error.stack }));
    console.log(JSON.stringify(answer, asText));
  }
}
