"""What a cell of code does, by its syntax tree: something of the idea, or plumbing."""

import ast
from collections.abc import Iterator

import nbformat

from rules.taught_code import name_of, parse

# Where a name comes from says what calling it does.
DRAWS = ("attention_course.drawing", "attention_course.widgets", "plotly", "matplotlib")
READS = ("attention_course.data", "attention_course.measure.records", "json", "pathlib", "csv")
OUR_DRAWING = ("ac.drawing", "ac.widgets")
OUR_READING = ("ac.data", "ac.measure.records")
# Calls that only get things ready, by the last part of their names.
SETS_UP = {
    *("seed", "manual_seed", "RandomState", "default_rng", "Generator", "set_num_threads"),
    *("set_default_dtype", "set_printoptions", "use_deterministic_algorithms", "next"),
    *("simplefilter", "filterwarnings", "no_grad", "inference_mode", "eval", "train", "to"),
    *("load_state_dict", "Path", "iter", "copy", "deepcopy", "import_module", "hold"),
    *("check_environment", "missing_packages"),
}
# Calls that fetch what was made elsewhere.
READING = {
    *("recorded", "recorded_by", "provenance", "open", "read_text", "read_bytes", "read_csv"),
    *("loads", "load", "loadtxt", "load_translator", "load_g2p_en"),
}
# Drawing by method: of a figure, or of pyplot's axes.
FIGURE_METHODS = {
    *("update_layout", "update_traces", "update_xaxes", "update_yaxes", "add_trace"),
    *("add_hline", "add_vline", "add_shape", "add_annotation", "imshow", "subplots"),
    *("savefig", "set_title"),
}
WRAPPERS = {"print", "display", "list", "tuple", "dict", "len", "str", "repr", "int", "float"}
MADE_OF_PARTS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.UnaryOp)
MADE_OF_PARTS += (ast.JoinedStr, ast.FormattedValue)
# Keys under which a record says where it is from.
ORIGIN = {
    *("date", "machine", "commit", "script", "versions", "packages", "python", "settings"),
    *("provenance", "origin", "command", "licence", "device", "cpu", "took", "host"),
    *("seconds", "cpu_seconds", "cpu_seconds_each", "sacrebleu"),
}
PRINTS = {"print", "display", "Markdown", "HTML"}
NUMBERED = {"int", "float", "str", "repr"}
TESTS = {"allclose", "array_equal", "isclose", "equal", "all", "any", "is_close", "issubset"}


def last_call(cell: nbformat.NotebookNode | None) -> str:
    """Return the name of what the last expression of a cell calls, without its module."""
    body = parse(cell.source).body if cell is not None else []
    last = body[-1] if body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return name_of(last.value.func).rpartition(".")[2]
    return ""


class Drawn:
    """Knows by which names a notebook draws and reads, from cell to cell."""

    def __init__(self):
        self.draws: set[str] = {*OUR_DRAWING, *DRAWS}
        self.reads: set[str] = {*OUR_READING, *READS}

    def learn(self, tree: ast.Module) -> None:
        """Take over what a cell imports, renames and defines."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and self.called_in(node):
                self.draws.add(node.name)
            if isinstance(node, ast.Assign):
                made_by = name_of(node.value) if isinstance(node.value, ast.Call) else ""
                named = {name_of(n) for n in ast.walk(node.value)} - {"", made_by}
                for kind in (self.draws, self.reads):
                    if not self._is(made_by, kind) and any(self._is(n, kind) for n in named):
                        kind |= {t.id for t in node.targets if isinstance(t, ast.Name)}

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            origin = alias.name
            if isinstance(node, ast.ImportFrom):
                origin = f"{node.module}.{alias.name}"
            here = alias.asname or alias.name.split(".")[0]
            if alias.asname or isinstance(node, ast.ImportFrom) or "." not in alias.name:
                known = ((self.draws, DRAWS), (self.reads, READS))
                for kind, roots in known:
                    if any(f"{origin}.".startswith(f"{root}.") for root in roots):
                        kind.add(here)

    @staticmethod
    def _is(name: str, kind: set[str]) -> bool:
        parts = name.split(".")
        return any(".".join(parts[: i + 1]) in kind for i in range(len(parts)))

    def called_in(self, tree: ast.AST) -> set[str]:
        """Return by which names a piece of code draws."""
        names = {name_of(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
        return {
            n
            for n in names
            if self._is(n, self.draws) or n.rpartition(".")[2] in FIGURE_METHODS
        }

    def gets_ready(self, name: str) -> bool:
        """Whether calling a name only reads data or sets something up."""
        return self._is(name, self.reads) or name.rpartition(".")[2] in SETS_UP | READING


def read_in(tree: ast.AST) -> set[str]:
    """Return the calls that read records or files, and the prints of where they are from."""
    found = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (name := name_of(node.func))
        and name.rpartition(".")[2] in READING
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and name_of(call.func) in ("print", "display"):
            keys = {n.slice for n in ast.walk(call) if isinstance(n, ast.Subscript)}
            known = {getattr(key, "value", None) for key in keys} & ORIGIN
            found |= {f"print(… [{key!r}] …)" for key in known}
    return found


def does_something_of_the_idea(tree: ast.Module, drawn: Drawn) -> bool:
    """Whether a cell defines, computes or prints something that the chapter is about."""
    return any(_of_the_idea(statement, drawn) for statement in tree.body)


def _of_the_idea(node: ast.stmt, drawn: Drawn) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass | ast.Global):
        return False
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return any(_of_the_idea(inner, drawn) for inner in node.body if not _is_text(inner))
    if isinstance(node, ast.With | ast.For | ast.While | ast.If | ast.Try):
        return any(_of_the_idea(inner, drawn) for inner in node.body)
    if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
        return node.value is not None and not _is_plain(node.value, drawn)
    return not isinstance(node, ast.Assert | ast.Delete)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_plain(node: ast.AST, drawn: Drawn) -> bool:
    """Whether an expression only sets up, reads or repeats what it is given."""
    if isinstance(node, ast.Constant | ast.Name | ast.Attribute):
        return True
    if isinstance(node, MADE_OF_PARTS):
        parts = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
        return all(_is_plain(part, drawn) for part in parts)
    if isinstance(node, ast.Subscript):
        key = node.slice
        origin = isinstance(key, ast.Constant) and key.value in ORIGIN
        return origin or (_is_plain(node.value, drawn) and isinstance(node.value, ast.Call))
    if isinstance(node, ast.Call):
        name = name_of(node.func)
        short = name.rpartition(".")[2]
        if short not in WRAPPERS:
            return drawn.gets_ready(name) or bool(drawn.called_in(node))
        if short in {"print", "display"}:
            shown = [a for a in node.args if isinstance(a, ast.Name | ast.JoinedStr)]
            if any(isinstance(part, ast.Name) for a in shown for part in ast.walk(a)):
                return False
        return all(_is_plain(a, drawn) for a in [*node.args, *(k.value for k in node.keywords)])
    return False


def worded_tests(tree: ast.AST) -> Iterator[str]:
    """Yield what is printed where a comparison chooses the word, or is turned into a number."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and name_of(call.func) in PRINTS:
            for node in (n for a in call.args for n in ast.walk(a)):
                if _chooses_a_word(node) or _counts_a_test(node):
                    yield ast.unparse(node)


def _chooses_a_word(node: ast.AST) -> bool:
    if isinstance(node, ast.IfExp):
        return _is_test(node.test) and all(map(_is_word, (node.body, node.orelse)))
    if isinstance(node, ast.Subscript):
        words = node.value
        if isinstance(words, ast.Tuple | ast.List):
            return _is_test(node.slice) and all(map(_is_word, words.elts))
        if isinstance(words, ast.Dict):
            keys = {getattr(k, "value", None) for k in words.keys}
            return bool(keys) and keys <= {True, False} and all(map(_is_word, words.values))
    return False


def _counts_a_test(node: ast.AST) -> bool:
    turned = isinstance(node, ast.Call) and name_of(node.func) in NUMBERED
    return turned and len(node.args) == 1 and _is_test(node.args[0])


def _is_word(node: ast.AST) -> bool:
    value = getattr(node, "value", None)
    return isinstance(node, ast.Constant) and isinstance(value, str) and bool(value.strip())


def _is_test(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return True
    if isinstance(node, ast.BoolOp):
        return any(map(_is_test, node.values))
    if isinstance(node, ast.Call):
        short = name_of(node.func).rpartition(".")[2]
        return short in TESTS or (short in ("bool", "int") and any(map(_is_test, node.args)))
    return False
