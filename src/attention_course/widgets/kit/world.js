// The small world's parser and writer: the trees of a sentence in either language, as parser.py
// finds and writer.py makes them.

/** @typedef {{ [feature: string]: string }} Known */
/** @typedef {[number, [string, Known][], [Item[], Item[]], Known, { [feature: string]: string[] }]} Rule */
/** @typedef {string | number} Item a word, or the number of a child */
/** @typedef {{ [category: string]: string[] }} Features */
/** @typedef {{ features: Features, given: Features, rules: { [category: string]: Rule[] } }} Grammar */
/** @typedef {[number, [string, Known][], [string, string], Known, { [feature: string]: string[] }]} Row words of one weight, and all values of their features */
/** @typedef {{ features: Features, given: Features, rules: { [category: string]: Row[] } }} Packed */
/** @typedef {{ bits: () => number, uniform: () => number }} Chance */
/** @typedef {(string | null)[]} Values */
/** @typedef {{ category: string, start: number, end: number, values: Values, made: [Rule, Part[]][] }} Part */
/** @typedef {{ category: string, rule: Rule, children: Tree[] }} Tree */

export const LANGUAGES = ["french", "english"];

/** A grammar as Python packs it: each combination of a row's features is a rule. @param {Packed} packed @returns {Grammar} */
export function unpacked({ features, given, rules }) {
  const sideOf = (/** @type {string} */ text) =>
    text
      .split(" ")
      .filter(Boolean)
      .map((item) => (/^\d+$/.test(item) ? Number(item) : item));
  const rulesOf = (/** @type {Row} */ [weight, children, sides, values, allowed]) => {
    /** @type {Known[]} */
    let all = [{}];
    for (const [f, text] of Object.entries(values))
      all = all.flatMap((known) => text.split(" ").map((value) => ({ ...known, [f]: value })));
    const [french, english] = sides.map(sideOf);
    return all.map(
      (known) => /** @type {Rule} */ ([weight, children, [french, english], known, allowed]),
    );
  };
  return {
    features,
    given,
    rules: Object.fromEntries(
      Object.entries(rules).map(([category, rows]) => [category, rows.flatMap(rulesOf)]),
    ),
  };
}

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
        states = states
          .filter(({ end }) => this.reads(item, end))
          .map((state) => ({ ...state, end: state.end + 1 }));
      } else {
        states = states.flatMap(({ end, known, parts }) =>
          this.grown(children[item], item, this.at(children[item][0], end), known, parts),
        );
      }
      if (!states.length) return;
    }
    for (const [number, child] of children.entries()) {
      if (items.includes(number)) continue;
      states = states.flatMap(({ end, known, parts }) =>
        this.grown(child, number, this.silent(child[0], end), known, parts),
      );
    }
    for (const { end, known, parts } of states) {
      if (
        Object.entries(allowed).some(
          ([f, values]) => known[f] !== undefined && !values.includes(known[f]),
        )
      )
        continue;
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
  else
    for (const tree of trees(first))
      for (const others of combined(rest)) yield [tree, ...others];
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
  return items.flatMap((item) =>
    typeof item === "string"
      ? [/** @type {[string, Tree]} */ ([item, tree])]
      : wordsOf(tree.children[item], language),
  );
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
  return wordsOf(tree, target).map(([, at]) =>
    from.flatMap((own, n) => (own === belongs.get(at) ? [n] : [])),
  );
}

/** All translations of a sentence. @param {Grammar} grammar @param {string[]} words @param {string} language @param {number} most */
export function translations(grammar, words, language, most = 64) {
  const target = LANGUAGES[1 - LANGUAGES.indexOf(language)];
  return [
    ...new Set(
      parse(grammar, words, language, most).map((tree) =>
        wordsOf(tree, target)
          .map(([word]) => word)
          .join(" "),
      ),
    ),
  ].sort();
}

/** What is known of a child: values, and variables that have one. @param {Known} features @param {Known} known */
const bound = (features, known) =>
  Object.entries(features)
    .flatMap(([f, entry]) => {
      const value = variable(entry) ? known[entry] : entry;
      return value === undefined ? [] : [/** @type {[string, string]} */ ([f, value])];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Which rules can make what is asked for. @param {Grammar} grammar */
function possibilities({ rules }) {
  /** @type {Map<string, boolean>} */
  const possible = new Map();
  /** @type {Map<string, { rule: Rule, probability: number, reached: number }[]>} */
  const alive = new Map();
  /** The rule's variables; null where it does not fit. @param {Rule} rule @param {Known} ask */
  const opened = ([, , , fixed, allowed], ask) => {
    for (const [f, value] of Object.entries(ask)) {
      if ((fixed[f] ?? value) !== value || (allowed[f] && !allowed[f].includes(value)))
        return null;
    }
    return { ...ask, ...fixed };
  };
  /** Could each child be made, as far as is known? @param {Rule} rule @param {Known} ask @returns {boolean} */
  const completes = (rule, ask) => {
    const known = opened(rule, ask);
    return (
      known !== null &&
      rule[1].every(([category, features]) => {
        const told = bound(features, known);
        const key = `${category} ${told}`;
        const before = possible.get(key);
        if (before !== undefined) return before;
        possible.set(key, true); // while it is being asked about, further up
        const found = rules[category].some((one) => completes(one, Object.fromEntries(told)));
        possible.set(key, found);
        return found;
      })
    );
  };
  /** The rules for these features, each with its probability and the sum up to it. @param {string} category @param {[string, string][]} told */
  const choices = (category, told) => {
    const key = `${category} ${told}`;
    const before = alive.get(key);
    if (before) return before;
    const fitting = rules[category].filter((rule) => completes(rule, Object.fromEntries(told)));
    const total = fitting.reduce((sum, [weight]) => sum + weight, 0);
    let reached = 0;
    const found = fitting.map((rule) => ({
      rule,
      probability: rule[0] / total,
      reached: (reached += rule[0] / total),
    }));
    alive.set(key, found);
    return found;
  };
  return { opened, completes, choices };
}

/**
 * What may follow a beginning: each word with about how likely it is (`next_words` in Python has
 * the exact probabilities).
 *
 * @param {Grammar} grammar
 * @param {string} language
 * @returns {(tokens: Set<string>[]) => Map<string, number>} none after what no sentence begins with
 */
export function follower(grammar, language) {
  const side = LANGUAGES.indexOf(language);
  const { opened, completes, choices } = possibilities(grammar);
  const totals = Object.fromEntries(
    Object.entries(grammar.rules).map(([c, rules]) => [c, rules.reduce((a, r) => a + r[0], 0)]),
  );
  /** @type {Map<string, Map<string, number>>} */
  const firsts = new Map();
  return (tokens) => {
    const chart = new Chart(grammar, side, tokens);
    /** @type {Map<string, Map<string, number>>} */
    const found = new Map();
    /** @type {Map<Part, number>} */
    const weights = new Map();
    const add = (
      /** @type {Map<string, number>} */ to,
      /** @type {string} */ word,
      /** @type {number} */ weight,
    ) => void to.set(word, (to.get(word) ?? 0) + weight);
    /** How likely a part is. @param {Part} part @returns {number} */
    const inside = (part) => {
      const before = weights.get(part);
      if (before !== undefined) return before;
      const sum = part.made.reduce(
        (all, [rule, parts]) =>
          all + parts.reduce((product, one) => product * inside(one), rule[0]),
        0,
      );
      weights.set(part, sum / totals[part.category]);
      return sum / totals[part.category];
    };
    /** What may come next inside a category that begins here. @param {string} category @param {[string, string][]} told @param {number} start @returns {Map<string, number>} */
    const after = (category, told, start) => {
      const memory = start === tokens.length ? firsts : found;
      const key = `${category} ${told}${start === tokens.length ? "" : ` ${start}`}`;
      const before = memory.get(key);
      if (before) return before;
      const spread = new Map();
      memory.set(key, spread);
      const given = told.filter(([f]) => grammar.given[category].includes(f));
      for (const { rule, probability } of choices(category, given)) {
        const ask = Object.fromEntries(told);
        const known = completes(rule, ask) && opened(rule, ask);
        if (known) follow(rule, 0, start, known, probability, spread);
      }
      return spread;
    };
    /** The same from an item of a rule. @param {Rule} rule @param {number} at @param {number} position @param {Known} known @param {number} weight @param {Map<string, number>} spread */
    const follow = (rule, at, position, known, weight, spread) => {
      const item = rule[2][side][at];
      if (item === undefined) return;
      const here = position === tokens.length;
      if (typeof item === "string") {
        if (here) add(spread, item, weight);
        else if (chart.reads(item, position))
          follow(rule, at + 1, position + 1, known, weight, spread);
        return;
      }
      const child = rule[1][item];
      for (const part of here ? [] : chart.at(child[0], position)) {
        const joined = join(grammar, child, part.values, known);
        if (joined && completes(rule, joined))
          follow(rule, at + 1, part.end, joined, weight * inside(part), spread);
      }
      const told = bound(child[1], known);
      if (here && grammar.rules[child[0]].every((one) => !one[1].length)) {
        // What a word tells must leave the rest of the rule possible.
        const given = told.filter(([f]) => grammar.given[child[0]].includes(f));
        for (const { rule: one, probability } of choices(child[0], given)) {
          const values = grammar.features[child[0]].map((f) => one[3][f] ?? null);
          const joined = join(grammar, child, values, known);
          const [word] = one[2][side];
          if (joined && typeof word === "string" && completes(rule, joined))
            add(spread, word, weight * probability);
        }
      } else
        for (const [word, more] of after(child[0], told, position))
          add(spread, word, weight * more);
    };
    return after("S", [], 0);
  };
}

/** The words of a language, sorted. @param {Grammar} grammar @param {string} language */
export function vocabularyOf({ rules }, language) {
  const side = LANGUAGES.indexOf(language);
  const items = Object.values(rules).flatMap((all) => all.flatMap((rule) => rule[2][side]));
  return [...new Set(items.filter((item) => typeof item === "string"))].sort();
}

/** A writer of sentences. @param {Grammar} grammar @returns {(rng: Chance) => Tree} */
export function writer(grammar) {
  const { given } = grammar;
  const { opened, choices } = possibilities(grammar);
  /** @param {Chance} rng @param {string} category @param {[string, string][]} told @returns {{ tree: Tree, known: Known }} */
  const write = (rng, category, told) => {
    const all = choices(category, told);
    const drawn = rng.uniform() * all[all.length - 1].reached;
    const { rule } = all.find(({ reached }) => reached > drawn) ?? all[all.length - 1];
    let known = /** @type {Known} */ (opened(rule, Object.fromEntries(told)));
    /** @type {Tree[]} */
    const children = [];
    const inputs = (/** @type {number} */ n) =>
      Object.entries(rule[1][n][1]).filter(([f]) => given[rule[1][n][0]].includes(f));
    const ready = (/** @type {number} */ n) =>
      !children[n] && inputs(n).every(([, entry]) => !variable(entry) || entry in known);
    for (let made = 0; made < rule[1].length; made++) {
      const n = rule[1].findIndex((_, at) => ready(at));
      const [name, features] = rule[1][n];
      const child = write(
        rng,
        name,
        bound(features, known).filter(([f]) => given[name].includes(f)),
      );
      children[n] = child.tree;
      for (const [f, entry] of Object.entries(features))
        if (variable(entry) && f in child.known) known = { ...known, [entry]: child.known[f] };
    }
    return { tree: { category, rule, children }, known };
  };
  return (rng) => write(rng, "S", []).tree;
}
