// The simple lab: a switch, the width, two pictures, one sentence, one question.
import { drawChart } from "../chart/chart.js";
import { checkControl } from "../kit/controls.js";
import { tag } from "../kit/elements.js";
import { formula } from "../kit/formula.js";
import { createShell } from "../kit/shell.js";
import { howFar, makeQuestion } from "./ask.js";
import { widthControl, widthStops } from "./controls.js";
import { makeGhost, makeStore } from "./store.js";
import { queriesView, weightsView } from "./views.js";
import { sentence } from "./words.js";

const ASKED = 1024;

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
export function renderSimple({ model, el }) {
  const shell = createShell(model, el, {
    title: "Saturation lab",
    controls: "above",
    compact: true,
  });
  shell.root.classList.add("ac-lab");
  /** @type {import("./maths.js").Sizes} */
  const sizes = model.get("sizes");
  const store = makeStore(sizes, shell.refresh);
  shell.onDestroy(store.end);
  /** @type {ReturnType<typeof makeGhost<import("./maths.js").Numbers>>} */
  const ghost = makeGhost();

  const asked = { ...model.get("initial"), d_k: ASKED, scale: "none", offsets: [] };
  const question = makeQuestion({
    text: `At d_k = ${ASKED} without the factor, how many of the ${sizes.queries} queries are dead?`,
    min: 0,
    max: sizes.queries,
    begin() {
      shell.set(asked);
      shell.refresh();
    },
    answer: (table) => Math.round(store.numbers(table, asked).batch.dead * sizes.queries),
    say: (guess, answer) =>
      `${answer} of ${sizes.queries} are dead: ${howFar(guess, answer)}. The lab shows them. Now switch the factor on.`,
  });

  const strip = tag("div.ac-strip");
  const divide = checkControl({ label: "" });
  divide.element.classList.add("ac-switch");
  const text = tag("span", { "aria-hidden": "true" }, ...formula("Divide by √d_k"));
  divide.input.setAttribute("aria-label", "Divide by √d_k");
  divide.element.querySelector("label")?.append(text);
  const scale = {
    element: divide.element,
    set: (/** @type {any} */ value) => divide.set(value === "sqrt_d_k"),
    onInput: (/** @type {(value: any) => void} */ react) =>
      divide.onInput((on) => react(on ? "sqrt_d_k" : "none")),
  };
  shell.controls.append(strip);
  shell.add(scale, "scale", strip);
  shell.add(widthControl(shell.limits, false), "d_k", strip);

  const [left, right] = [tag("div.ac-panel"), tag("div.ac-panel")];
  const [weights, queries] = [drawChart(left), drawChart(right)];
  const dead = tag("b", { "data-ac-figure": "batch.dead" });
  right.append(
    tag(
      "p.ac-lab-key",
      tag("span.ac-cross", { "aria-hidden": "true" }, "×"),
      " dead: ",
      dead,
      ` of ${sizes.queries} queries. The norm of their softmax Jacobian is below ${sizes.dead}. The others: the stronger the blue, the larger the gradient.`,
    ),
  );
  left.append(
    tag(
      "p.ac-lab-key",
      tag("span.ac-dots", { "aria-hidden": "true" }),
      " dotted: before the last change",
    ),
  );
  const grid = tag("div.ac-panels.ac-two", left, right);
  const waiting = tag("div.ac-waiting", "Drawing 1.2 million random numbers …");
  shell.controls.before(question.element);
  shell.picture.append(waiting, grid);
  shell.picture.after(shell.buttons);
  shell.buttons.firstElementChild?.addEventListener("click", () => {
    question.forget();
    ghost.forget();
  });
  const height = () => (shell.root.clientWidth < 600 ? 132 : 190);
  let tall = height();
  let [weightsOf, queriesOf] = [weightsView(tall), queriesView(sizes, tall)];
  let width = 0;
  const stops = widthStops(sizes.width);
  let touched = false; // whoever only reads past needs no numbers in advance
  for (const event of ["pointerover", "focusin"])
    shell.root.addEventListener(event, () => (touched ||= (shell.refresh(), true)));
  const measure = new ResizeObserver(() => {
    width = right.clientWidth;
    if (tall !== height()) {
      tall = height();
      [weightsOf, queriesOf] = [weightsView(tall), queriesView(sizes, tall)];
    }
    shell.refresh();
  });
  measure.observe(grid);
  shell.onDestroy(() => {
    measure.disconnect();
    weights.destroy();
    queries.destroy();
  });

  shell.show(() => {
    const setting = /** @type {import("./maths.js").Setting} */ (shell.state());
    const table = store.table(setting);
    shell.picture.setAttribute("aria-busy", String(!table));
    waiting.hidden = table !== null;
    grid.style.visibility = table ? "" : "hidden";
    if (!table) return;
    question.tell(table);
    const numbers = store.numbers(table, setting);
    const before = ghost.before(JSON.stringify(setting), numbers);
    const { batch } = numbers;
    const count = Math.round(batch.dead * sizes.queries);
    weights.update(weightsOf({ numbers, ghost: before }, "The weights of a typical query"));
    queries.update(queriesOf(numbers, width || 320, "The gradient of each query"));
    dead.textContent = String(count);
    dead.dataset.acValue = String(batch.dead);
    shell.say(sentence(numbers, setting, sizes.queries));
    if (touched)
      store.foresee(
        table,
        stops.map((d_k) => ({ ...setting, d_k })),
      );
  });
  return shell.destroy;
}
