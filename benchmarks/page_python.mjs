// The page's Python without a page: the same bytes, started in the order of site/static/python.js.
//
// Arguments: a folder with the files that a page is served, and one to unpack them into. The first
// line of standard output has the seconds of computing that the start took, part by part. Then on
// each line of standard input there is a slug and a source, and on each of standard output what
// the page says, whether the source came to its end, the seconds of computing, and which line of
// the input it answers.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";

const [served, into] = process.argv.slice(2);
const bytesOf = (name) => new Uint8Array(readFileSync(join(served, name)));
const tell = (what) => console.log(JSON.stringify(what));
const start = {};
let began = process.cpuUsage();
const seconds = () => {
  const { user, system } = process.cpuUsage(began);
  began = process.cpuUsage();
  return (user + system) / 1e6;
};

const names = readdirSync(served);
for (const name of names) {
  const unpacked = name.endsWith(".gz") ? gunzipSync(bytesOf(name)) : bytesOf(name);
  writeFileSync(join(into, name.replace(/\.gz$/, "")), unpacked);
}
start.unpacking = seconds();
const { loadPyodide } = createRequire(import.meta.url)(join(into, "pyodide.js"));
const python = await loadPyodide({ indexURL: `${into}/` });
start.Python = seconds();
python.unpackArchive(bytesOf(names.find((name) => name.endsWith(".whl"))), "whl");
python.unpackArchive(bytesOf("course.zip"), "zip", { extractDir: "/course" });
start["the wheel and the course unpacked"] = seconds();
python.runPython("import numpy");
start.NumPy = seconds();
python.runPython(`
import sys
sys.path.insert(0, "/course")
from attention_course.exercises.in_page import run
from attention_course.exercises.in_page_cells import run_cells`);
start["the course"] = seconds();
tell(start);

const run = python.globals.get("run");
let asked = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const [slug, source] = JSON.parse(line);
  let text = "";
  seconds();
  const whole = run(source, slug, true, (more) => (text += more));
  tell([text, whole, seconds(), ++asked]);
}
