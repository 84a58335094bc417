"""Mutants of a module: mutmut's operators, and negated conditions.

mutmut's own runner is not used: it skips decorated functions (such as properties and cached functions), and
everything outside functions, such as the constants of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

PACKAGE = Path(__file__).parents[2] / "scorekeeper"
MODULE_LEVEL = "<module>"


class Key(NamedTuple):
    """Identifies a mutant independently of line numbers: module, function, and the changed lines, stripped."""

    module: str
    function: str
    before: str
    after: str


@dataclass(frozen=True)
class Mutant:
    """One change of one module. `lines` of the changed code, `statement`: lines of the statement around it."""

    key: Key
    source: str
    lines: range
    statement: range
    function_lines: range | None

    @property
    def module(self) -> str:
        """The module's full name."""
        return f"scorekeeper.{self.key.module}"


def file_of(module: str) -> Path:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def mutants_of(module: str) -> list[Mutant]:
    """Return all mutants of a module in order of lines, except those that compile to the same code."""
    source = file_of(module).read_text(encoding="utf-8")
    finder = _Finder(module, source)
    finder.wrapper.visit(finder)
    original = compile(source, module, "exec")
    found: dict[str, Mutant] = {}
    for mutant in finder.found:
        if mutant.source not in found and compile(mutant.source, module, "exec") != original:
            found[mutant.source] = mutant
    return sorted(found.values(), key=lambda mutant: mutant.lines.start)


def _one_less(node: cst.Integer) -> Iterator[cst.CSTNode]:
    yield cst.parse_expression(f"({node.evaluated_value - 1})")


def _another_text(node: cst.SimpleString) -> Iterator[cst.CSTNode]:
    """Yield mutmut's first mutation only: tests that miss it also miss the others, which change the case."""
    yield from list(mutators.operator_string(node))[:1]


def _opposite(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.UnaryOperation(cst.Not(), node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))


def _without_a_named_argument(node: cst.Call) -> Iterator[cst.CSTNode]:
    for index, argument in enumerate(node.args):
        if argument.keyword is not None and not _is_a_guard(argument):
            yield node.with_changes(args=[*node.args[:index], *node.args[index + 1 :]])


OPERATORS: list[tuple[type, Callable[[Any], Any]]] = [
    (cst.Integer, mutators.operator_number),
    (cst.Integer, _one_less),
    (cst.SimpleString, _another_text),
    (cst.Name, mutators.operator_name),
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.AugAssign, mutators.operator_augmented_assignment),
    (cst.CSTNode, mutators.operator_keywords),
    (cst.CSTNode, mutators.operator_swap_op),
    (cst.Match, mutators.operator_match),
    (cst.IfExp, mutators.operator_if_exp),
    (cst.Lambda, mutators.operator_lambda),
    (cst.Call, mutators.operator_symmetric_string_methods_swap),
    (cst.Call, mutators.operator_unsymmetrical_string_methods_swap),
    (cst.Call, _without_a_named_argument),
]
CONDITIONS = (cst.If, cst.While, cst.CompIf, cst.Assert)


class _Finder(cst.CSTVisitor):
    """Collects mutants.

    Skips imports, decorators, arguments of raised exceptions, annotations except values and bounds of fields, the
    `strict` of zip (a guard against what never happens) and the `repr` of fields.
    """

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, module: str, source: str) -> None:
        super().__init__()
        self.module, self.source = module, source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
        self.found: list[Mutant] = []
        self._names: list[tuple[cst.CSTNode, str]] = []
        self._statements: list[cst.CSTNode] = []
        self._annotations: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Import | cst.ImportFrom | cst.Decorator | cst.Raise):
            return False
        if _is_type_variable(node) or (isinstance(node, cst.Arg) and _is_a_guard(node)):
            return False
        if self._names and getattr(self._names[-1][0], "returns", None) is node:  # nothing reads it
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self._names.append((node, node.name.value))
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self._statements.append(node)
        if isinstance(node, cst.Annotation) or _is_values(node):
            self._annotations.append(node)
        if not self._annotations or _is_values(self._annotations[-1]):
            self._mutate(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._names and self._names[-1][0] is original_node:
            self._names.pop()
        if self._statements and self._statements[-1] is original_node:
            self._statements.pop()
        if self._annotations and self._annotations[-1] is original_node:
            self._annotations.pop()

    def _mutate(self, node: cst.CSTNode) -> None:
        for kind, operator in OPERATORS:
            if isinstance(node, kind):
                for mutated in operator(node):
                    self._keep(node, mutated)
        if isinstance(node, CONDITIONS):
            self._keep(node.test, _opposite(node.test))

    def _keep(self, node: cst.CSTNode, mutated: cst.CSTNode) -> None:
        where = self.get_metadata(PositionProvider, node)
        start = self.starts[where.start.line - 1] + where.start.column
        end = self.starts[where.end.line - 1] + where.end.column
        text = self.wrapper.module.code_for_node(mutated)
        source = self.source[:start] + text + self.source[end:]
        lines = range(where.start.line, where.end.line + 1)
        changed = "\n".join(source.splitlines()[lines.start - 1 : lines.stop - 1 + text.count("\n")])
        before = "\n".join(self.source.splitlines()[lines.start - 1 : lines.stop - 1])
        if changed.count("\n") != before.count("\n"):
            changed = text
        function = ".".join(name for _, name in self._names) or MODULE_LEVEL
        key = Key(self.module.removeprefix("scorekeeper."), function, _one_line(before), _one_line(changed))
        innermost = next(
            (definition for definition, _ in reversed(self._names) if isinstance(definition, cst.FunctionDef)), None
        )
        self.found.append(
            Mutant(
                key,
                source,
                lines,
                self._lines_of(self._statements[-1]) if self._statements else lines,
                None if innermost is None else self._lines_of(innermost),
            )
        )

    def _lines_of(self, node: cst.CSTNode) -> range:
        where = self.get_metadata(PositionProvider, node)
        return range(where.start.line, where.end.line + 1)


def _is_values(node: cst.CSTNode) -> bool:
    """Whether an annotation's part says which values are allowed: Between(0, 9), Literal["won"]."""
    if isinstance(node, cst.Subscript):
        return isinstance(node.value, cst.Name) and node.value.value == "Literal"
    return (
        isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in ("Between", "MultipleOf")
    )


def _is_a_guard(argument: cst.Arg) -> bool:
    return argument.keyword is not None and argument.keyword.value in ("strict", "repr")


def _is_type_variable(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "TypeVar"


def _one_line(code: str) -> str:
    return " ".join(code.split())
