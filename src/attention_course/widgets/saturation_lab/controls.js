// Controls that both labs have.
import { sliderControl } from "../kit/controls.js";
import { formula } from "../kit/formula.js";

/** Every whole number to 8, then eight steps to each doubling. @param {number} most */
export function widthStops(most) {
  const stops = [1, 2, 3, 4, 5, 6, 7];
  for (let low = 8; low < most; low *= 2)
    for (let i = 0; i < 8; i++) stops.push(low + (i * low) / 8);
  return [...stops, most];
}

/** The slider of d_k. @param {import("../kit/limits.js").Limits} limits @param {boolean} entry */
export function widthControl(limits, entry) {
  const label = "Width d_k";
  const control = sliderControl({
    label,
    values: widthStops(limits.d_k.max),
    entry,
    takes: { whole: true },
  });
  control.element.classList.add("ac-width");
  control.element.querySelector(".ac-label")?.replaceChildren(...formula(label));
  control.input.setAttribute("aria-label", label); // read aloud as it is typed
  return control;
}
