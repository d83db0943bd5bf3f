// The small world's parser: the trees of a sentence in either language, as parser.py finds them.

/** @typedef {{ [feature: string]: string }} Known */
/** @typedef {[number, [string, Known][], [Item[], Item[]], Known, { [feature: string]: string[] }]} Rule */
/** @typedef {string | number} Item a word, or the number of a child */
/** @typedef {{ features: { [category: string]: string[] }, rules: { [category: string]: Rule[] } }} Grammar */
/** @typedef {(string | null)[]} Values */
/** @typedef {{ category: string, start: number, end: number, values: Values, made: [Rule, Part[]][] }} Part */
/** @typedef {{ category: string, rule: Rule, children: Tree[] }} Tree */

export const LANGUAGES = ["french", "english"];

/** @param {string} entry is it a variable: one letter? */
const variable = (entry) => entry.length === 1;

/**
 * What is known once a child has these values; null where they disagree.
 *
 * @param {Grammar} grammar
 * @param {[string, Known]} child
 * @param {Values} values
 * @param {Known} known
 */
function join(grammar, [category, features], values, known) {
  let joined = known;
  for (const [n, feature] of grammar.features[category].entries()) {
    const [entry, value] = [features[feature], values[n]];
    if (entry === undefined || value === null) continue;
    if (!variable(entry)) {
      if (entry !== value) return null;
    } else if (joined[entry] === undefined) joined = { ...joined, [entry]: value };
    else if (joined[entry] !== value) return null;
  }
  return joined;
}

/** Every part of a sentence, and how each is made of others. */
class Chart {
  /**
   * @param {Grammar} grammar
   * @param {number} side of the languages
   * @param {(Set<string> | null)[]} tokens the words that may stand at each position; null: any
   */
  constructor(grammar, side, tokens) {
    this.grammar = grammar;
    this.side = side;
    this.tokens = tokens;
    /** @type {Map<string, Part[]>} */
    this.found = new Map();
  }

  /** The parts of a category that begin at a position. @param {string} category @param {number} start */
  at(category, start) {
    const key = `${category} ${start}`;
    let parts = this.found.get(key);
    if (!parts) {
      /** @type {Map<string, Part>} */
      const by = new Map();
      for (const rule of this.grammar.rules[category]) this.match(category, rule, start, by);
      parts = [...by.values()];
      this.found.set(key, parts);
    }
    return parts;
  }

  /** @param {string} word @param {number} position */
  reads(word, position) {
    if (position >= this.tokens.length) return false;
    const token = this.tokens[position];
    return token === null || token.has(word);
  }

  /** @param {string} category @param {Rule} rule @param {number} start @param {Map<string, Part>} by */
  match(category, rule, start, by) {
    const [, children, sides, fixed, allowed] = rule;
    const items = sides[this.side];
    if (!items.length || (typeof items[0] === "string" && !this.reads(items[0], start))) return;
    /** @type {{ end: number, known: Known, parts: Part[] }[]} */
    let states = [{ end: start, known: fixed, parts: [] }];
    for (const item of items) {
      if (typeof item === "string") {
        states = states.filter(({ end }) => this.reads(item, end)).map((state) => ({ ...state, end: state.end + 1 }));
      } else {
        states = states.flatMap(({ end, known, parts }) => this.grown(children[item], item, this.at(children[item][0], end), known, parts));
      }
      if (!states.length) return;
    }
    for (const [number, child] of children.entries()) {
      if (items.includes(number)) continue;
      states = states.flatMap(({ end, known, parts }) => this.grown(child, number, this.silent(child[0], end), known, parts));
    }
    for (const { end, known, parts } of states) {
      if (Object.entries(allowed).some(([f, values]) => known[f] !== undefined && !values.includes(known[f]))) continue;
      const values = this.grammar.features[category].map((f) => known[f] ?? null);
      const key = `${end} ${values}`;
      const part = by.get(key) ?? { category, start, end, values, made: [] };
      part.made.push([rule, parts]);
      by.set(key, part);
    }
  }

  /** @param {[string, Known]} child @param {number} number @param {Part[]} found @param {Known} known @param {Part[]} parts */
  grown(child, number, found, known, parts) {
    return found.flatMap((part) => {
      const joined = join(this.grammar, child, part.values, known);
      if (!joined) return [];
      const more = [...parts];
      more[number] = part;
      return [{ end: part.end, known: joined, parts: more }];
    });
  }

  /** The parts of a category that this language leaves out. @param {string} category @param {number} at @returns {Part[]} */
  silent(category, at) {
    return this.grammar.rules[category].map((rule) => {
      const values = this.grammar.features[category].map((f) => rule[3][f] ?? null);
      return { category, start: at, end: at, values, made: [[rule, []]] };
    });
  }
}

/** @param {Part} part @returns {Generator<Tree>} */
function* trees(part) {
  for (const [rule, parts] of part.made) {
    for (const children of combined(parts)) yield { category: part.category, rule, children };
  }
}

/** @param {Part[]} parts @returns {Generator<Tree[]>} */
function* combined([first, ...rest]) {
  if (!first) yield [];
  else for (const tree of trees(first)) for (const others of combined(rest)) yield [tree, ...others];
}

/**
 * The trees of a sentence.
 *
 * @param {Grammar} grammar
 * @param {(string | Set<string> | null)[]} words a word, several that may stand there, or null for any
 * @param {string} language
 * @param {number} most
 */
export function parse(grammar, words, language, most = 64) {
  const tokens = words.map((word) => (typeof word === "string" ? new Set([word]) : word));
  const chart = new Chart(grammar, LANGUAGES.indexOf(language), tokens);
  const found = [];
  for (const part of chart.at("S", 0).filter(({ end }) => end === words.length)) {
    for (const tree of trees(part)) {
      if (found.length === most) return found;
      found.push(tree);
    }
  }
  return found;
}

/**
 * The words of a tree, each with the tree whose rule wrote it.
 *
 * @param {Tree} tree
 * @param {string} language
 * @returns {[string, Tree][]}
 */
export function wordsOf(tree, language) {
  const items = tree.rule[2][LANGUAGES.indexOf(language)];
  return items.flatMap((item) => (typeof item === "string" ? [/** @type {[string, Tree]} */ ([item, tree])] : wordsOf(tree.children[item], language)));
}

/** @param {Tree} tree @param {Tree} owner @param {Map<Tree, Tree>} found whose words belong to which tree */
function owners(tree, owner, found) {
  const own = tree.rule[2].every((side) => side.length) ? tree : owner;
  found.set(tree, own);
  for (const child of tree.children) owners(child, own, found);
  return found;
}

/**
 * For each word of the other language, the positions of the words that it comes from.
 *
 * @param {Tree} tree
 * @param {string} source
 */
export function alignment(tree, source) {
  const belongs = owners(tree, tree, new Map());
  const from = wordsOf(tree, source).map(([, at]) => belongs.get(at));
  const target = LANGUAGES[1 - LANGUAGES.indexOf(source)];
  return wordsOf(tree, target).map(([, at]) => from.flatMap((own, n) => (own === belongs.get(at) ? [n] : [])));
}

/** All translations of a sentence. @param {Grammar} grammar @param {string[]} words @param {string} language @param {number} most */
export function translations(grammar, words, language, most = 64) {
  const target = LANGUAGES[1 - LANGUAGES.indexOf(language)];
  return [...new Set(parse(grammar, words, language, most).map((tree) => wordsOf(tree, target).map(([word]) => word).join(" ")))].sort();
}
