// Making elements: HTML, SVG, and ids that no other widget has.

/** An element with a class, attributes and children. @param {string} tag @param {string} [name] @param {Record<string, any>} [attributes] @param {(Node | string)[]} children */
export function make(tag, name = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false)
      element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** @template {string} Kind @typedef {Kind extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Kind] : HTMLElement} Known */
/** @template {string} Name @typedef {Name extends `${infer Kind}.${string}` ? Known<Kind> : Known<Name>} ElementOf */

/** An element, as `tag("ol.ac-words", { lang: "en" }, ...children)`; attributes may be left out. @template {string} Name @param {Name} name with its classes @param {...(Node | string | Record<string, any>)} rest @returns {ElementOf<Name>} */
export function tag(name, ...rest) {
  const [kind, ...classes] = name.split(".");
  const plain = rest[0] && Object.getPrototypeOf(rest[0]) === Object.prototype;
  const [attributes, ...children] = /** @type {[any, ...Node[]]} */ (
    plain ? rest : [{}, ...rest]
  );
  return /** @type {any} */ (make(kind, classes.join(" "), attributes, ...children));
}

/** What marks a number on the page as the read-out of a name. @param {string} name @param {number} value */
export const readout = (name, value) => ({ "data-readout": name, "data-value": value });

/** A table with a heading for each column, and its body. @param {string} classes @param {(Node | string)[]} head */
export function tableWith(classes, head) {
  const body = tag("tbody");
  const top = tag("tr", ...head.map((text) => tag("th", { scope: "col" }, text)));
  return { table: tag(`table.ac-table${classes}`, tag("thead", top), body), body };
}

/** An id that no other widget on the page has. @param {string} name */
export function freshId(name) {
  return `ac-${name}-${Math.random().toString(36).slice(2, 10)}`;
}

/**
 * An SVG element with attributes (those that are undefined are left out) and children.
 * @param {string} tag @param {Record<string, string | number | undefined>} [attributes]
 * @param {...(Node | string)} children
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}
