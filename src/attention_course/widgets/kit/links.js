// A widget's state in the address of the page: `#temperature?temperature=10`.
/**
 * State from `#key?a=1&b=x`; null if the hash is not for this widget. What does not parse
 * stays text, so that the widget can say what is wrong with it.
 * @param {string} hash
 * @param {string} key
 * @param {Record<string, any>} like the state as it is: its types say how to read
 */
export function readHash(hash, key, like) {
  const [name, query] = hash.replace(/^#/, "").split("?");
  if (name !== key || query === undefined) return null;
  /** @type {Record<string, any>} */
  const state = {};
  for (const [field, text] of new URLSearchParams(query)) {
    if (!(field in like)) continue;
    state[field] = text;
    if (typeof like[field] === "string") continue;
    try {
      state[field] = JSON.parse(text);
    } catch {
      // stays text
    }
  }
  return state;
}

/** The hash that carries a state. @param {string} key @param {Record<string, any>} state */
export function writeHash(key, state) {
  const fields = Object.entries(state).map(([field, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${encodeURIComponent(field)}=${encodeURIComponent(text)}`;
  });
  return `#${key}?${fields.join("&")}`;
}

/** Put text on the clipboard; false if the browser refuses. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
