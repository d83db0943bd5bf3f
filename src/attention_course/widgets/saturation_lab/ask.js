// A question to answer before touching the lab: the guess first, then what the lab computes.
import { freshId, tag } from "../kit/elements.js";
import { numberField } from "../kit/field.js";
import { buttonControl } from "../kit/controls.js";
import { formula } from "../kit/formula.js";
import { formatNumber } from "../kit/numbers.js";

/**
 * @param {object} question
 * @param {string} question.text
 * @param {number} question.min
 * @param {number} question.max
 * @param {() => void} question.begin brings the lab to where the answer can be computed
 * @param {(table: import("./maths.js").Table) => number} question.answer
 * @param {(guess: number, answer: number) => string} question.say
 */
export function makeQuestion({ text, min, max, begin, answer, say }) {
  const id = freshId("ask");
  const field = numberField({
    min,
    max,
    attributes: { id, role: "spinbutton", placeholder: "?" },
  });
  const { input } = field;
  const said = tag("p.ac-ask-answer", { role: "status" });
  /** @type {number | null} */
  let waits = null;
  const check = () => {
    const { value: guess, problem } = field.read();
    if (guess === undefined) {
      said.textContent = problem ? "" : "Type a number first.";
      return;
    }
    waits = guess;
    begin();
  };
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    check();
  });
  const label = tag(
    "label.ac-ask-text",
    { for: id },
    tag("b", "Guess first. "),
    ...formula(text),
  );
  const element = tag(
    "div.ac-ask",
    { role: "group", "aria-label": "A question" },
    label,
    tag("div.ac-ask-row", input, buttonControl("Check", check), field.note),
    said,
  );
  return {
    element,
    /** The answer to a guess that waits for it. @param {import("./maths.js").Table} table */
    tell(table) {
      if (waits === null) return;
      const guess = waits;
      waits = null;
      said.replaceChildren(...formula(say(guess, answer(table))));
    },
    forget() {
      waits = null;
      input.value = field.note.textContent = "";
      input.removeAttribute("aria-invalid");
      said.textContent = "";
    },
  };
}

/** How far off a guess was. @param {number} guess @param {number} answer */
export function howFar(guess, answer) {
  if (guess === answer) return "you guessed it exactly";
  return `your guess was ${Math.abs(guess - answer)} too ${guess < answer ? "low" : "high"}`;
}

/** The same for what is doubled rather than added to. @param {number} guess @param {number} answer */
export function howManyTimes(guess, answer) {
  if (guess === answer) return "you guessed it exactly";
  const times = guess < answer ? answer / guess : guess / answer;
  return `your guess was ${times < 1.95 ? `${Math.round((100 * Math.abs(guess - answer)) / answer) || 1}%` : `${formatNumber(times, 2)} times`} too ${guess < answer ? "low" : "high"}`;
}
