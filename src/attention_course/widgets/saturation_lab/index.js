// The saturation lab: the simple one of a landing page, and the full one of its chapter.
import { renderFull } from "./full.js";
import { renderSimple } from "./simple.js";

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render(place) {
  return place.model.get("compact") === true ? renderSimple(place) : renderFull(place);
}

export default { render };
