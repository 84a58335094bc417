"""Run tests against mutants, each in a forked process.

There are two kinds of servers. A `Collected` server has imported the package and collected the tests once; each of its
forks replaces the code of the mutated functions and runs the tests that cover the change. A `Fresh` server has imported
only libraries; each of its forks imports the package with the mutant and collects the tests again. This takes a second
longer. It is needed for changes outside functions, or in code that runs on import.
"""

from __future__ import annotations

import gc
import importlib.abc
import importlib.util
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from tempfile import mkdtemp
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import coverage
import pytest
from hypothesis import Phase, settings

from .mutants import file_of
from .targets import SLOW

CAUGHT, SURVIVED, TIMEOUT, NEEDS_IMPORT = "caught", "survived", "timeout", "needs import"
STOP, MEASURE = "stop", "measure"
MAX_EXAMPLES = 20  # per Hypothesis test, the same in every run
IMPORT_SECONDS = 20
OPTIONS = (
    *("-qq", "-s", "-p", "no:xdist", "-p", "no:cacheprovider", "--assert=plain", "--tb=native"),
    *("-o", "addopts=", "-o", "tmp_path_retention_policy=none"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # for plugins that are already imported by libraries
)
_DESELECTED = tuple(f"--deselect={name}" for name in SLOW)
# Imported once, before forking.
LIBRARIES = (
    *("babel.messages.pofile", "bs4", "flask", "flask_compress", "flask_sqlalchemy", "flask_wtf"),
    *("gunicorn", "hypothesis", "limits", "markdown", "playwright.sync_api", "prometheus_client", "psycopg"),
    *("segno", "sqlalchemy.dialects.sqlite", "wtforms"),
)


class Trial(NamedTuple):
    """A mutant to try, the tests to run in this order, and their limit in seconds of processor time."""

    module: str
    source: str
    tests: tuple[str, ...]
    seconds: float


class Outcome(NamedTuple):
    status: str
    test: str = ""  # the failed test


class Baseline(NamedTuple):
    """The tests without any mutant: their durations and failures.

    Attributes:
        covered: by file and line, the tests that run the line.
        imported: by file, the lines that run while modules are imported and tests collected.
    """

    seconds: dict[str, float]
    failed: tuple[str, ...]
    covered: dict[str, dict[int, list[str]]]
    imported: dict[str, set[int]]


class Server:
    """A process that tries mutants, one after another."""

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        self._ours, theirs = Pipe()
        self._pid = os.fork()
        if not self._pid:
            self._ours.close()
            _run_and_exit(lambda: serve(theirs))
        theirs.close()

    def ask(self, question: Any) -> Any:
        self._ours.send(question)
        return self._ours.recv()

    def stop(self) -> None:
        with suppress(OSError):
            self._ours.send(STOP)
        os.waitpid(self._pid, 0)


def _run_and_exit(work: Callable[[], int | None]) -> None:
    code = 70
    try:
        code = work() or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def import_libraries() -> None:
    for name in LIBRARIES:
        import_module(name)


def in_a_fork(work: Callable[[Connection], None], seconds: float | None = None) -> Any:
    """Run `work` in a forked process; return what it sends, or an Outcome with TIMEOUT."""
    ours, theirs = Pipe(duplex=False)
    pid = os.fork()
    if not pid:
        ours.close()
        if seconds is not None:
            _limit(seconds)
        _run_and_exit(lambda: work(theirs))
    theirs.close()
    try:
        answer = ours.recv()
    except EOFError:
        answer = None
    ours.close()
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if answer is None and not os.WIFSIGNALED(status):
        raise RuntimeError("a fork ended without an answer")
    return answer or Outcome(TIMEOUT)


def _limit(seconds: float) -> None:
    """Limit processor time, which does not depend on other load; and, generously, real time, against deadlocks."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.setitimer(signal.ITIMER_REAL, 60 + 20 * seconds)


class Collected:
    """A server that has collected the tests once. Answers a Trial with an Outcome, MEASURE with a Baseline."""

    def __init__(self, paths: Sequence[str], modules: Sequence[str]) -> None:
        self.paths, self.modules = paths, modules
        self.files = {str(file_of(module)) for module in modules}
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = {}

    def __call__(self, connection: Connection) -> None:
        self.connection = connection
        self.folder = Path(mkdtemp(prefix="scorekeeper-mutation-"))
        self.tracer = _tracer(self.files)
        self.tracer.start()
        try:
            pytest.main(
                [*OPTIONS, *_DESELECTED, "--no-summary", f"--basetemp={self.folder / 'tests'}", *self.paths],
                plugins=[self],
            )
        finally:
            shutil.rmtree(self.folder)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for module in self.modules:
            import_module(module)  # including those that a test imports while it runs
        self.tracer.stop()
        self.imported = _lines(self.tracer)
        self.items = {item.nodeid: item for item in session.items}
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # once, for all forks
        for item in session.items:
            _limit_examples(item)
        self._index_functions()
        _copy_one_database(self.folder)
        gc.collect()
        gc.freeze()
        for command in iter(self.connection.recv, STOP):
            if command == MEASURE:
                self.connection.send(in_a_fork(self._measure))
            else:
                self.connection.send(in_a_fork(partial(self._try, trial=command), command.seconds))
        return True

    def _measure(self, out: Connection) -> None:
        """Run all tests, and send the Baseline."""
        with Path(os.devnull).open("w") as quiet:
            os.dup2(quiet.fileno(), 1)
        tracer = _tracer(self.files)
        tracer.start()
        seconds, failed = {}, []
        for item, then in _with_next(list(self.items.values())):
            tracer.switch_context(item.nodeid)
            started = _processor_time()
            if not _passes(item, then):
                failed.append(item.nodeid)
            seconds[item.nodeid] = _processor_time() - started
        tracer.stop()
        data = tracer.get_data()
        covered = {
            file: {line: [test for test in tests if test] for line, tests in data.contexts_by_lineno(file).items()}
            for file in data.measured_files()
        }
        out.send(Baseline(seconds, tuple(failed), covered, self.imported))

    def _index_functions(self) -> None:
        for function in gc.get_objects():
            if isinstance(function, FunctionType) and function.__code__.co_filename in self.files:
                self.functions.setdefault(_location(function.__code__), []).append(function)

    def _try(self, out: Connection, trial: Trial) -> None:
        path = str(file_of(trial.module))
        old = compile(Path(path).read_text(encoding="utf-8"), path, "exec", dont_inherit=True)
        new = compile(trial.source, path, "exec", dont_inherit=True)
        if not self._replace(old, new):
            out.send(Outcome(NEEDS_IMPORT))
            return
        for item, then in _with_next([self.items[name] for name in trial.tests]):
            if not _passes(item, then):
                out.send(Outcome(CAUGHT, item.nodeid))
                return
        out.send(Outcome(SURVIVED))

    def _replace(self, old: CodeType, new: CodeType) -> bool:
        """Put the mutant's code into the existing functions. Return False if the change is outside functions."""
        pairs = list(_functions_in(old, new))
        if _skeleton(old) != _skeleton(new) or not pairs:
            return False
        for old_code, new_code in pairs:
            for function in self.functions.get(_location(old_code), []):
                if len(new_code.co_freevars) != len(old_code.co_freevars):
                    return False
                function.__code__ = new_code
        return True


def _processor_time() -> float:
    """Return the seconds of this process and of the programs that it has run, such as hledger."""
    return sum(os.times()[:4])


def _location(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _is_function(code: CodeType) -> bool:
    return bool(code.co_flags & 0x2)  # CO_NEWLOCALS: neither a module nor a class


def _functions_in(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield functions that differ, including nested ones, with their new code."""
    if len(_inner(old)) != len(_inner(new)):
        return
    for old_code, new_code in zip(_inner(old), _inner(new), strict=True):
        if old_code != new_code:
            if _is_function(old_code):
                yield old_code, new_code
            yield from _functions_in(old_code, new_code)


def _skeleton(code: CodeType) -> Any:
    """Return what a module or class contains besides functions, for comparison."""
    constants = [
        _location(constant)[1:2] if _is_function(constant) else _skeleton(constant) for constant in _inner(code)
    ]
    others = [(type(constant), constant) for constant in code.co_consts if not isinstance(constant, CodeType)]
    return code.co_code, code.co_names, repr(others), constants


class Fresh:
    """A server that has not imported the package. Answers a Trial with an Outcome."""

    def __call__(self, connection: Connection) -> None:
        gc.collect()
        gc.freeze()
        for trial in iter(connection.recv, STOP):
            connection.send(in_a_fork(partial(self._try, trial=trial), trial.seconds + IMPORT_SECONDS))

    def _try(self, out: Connection, trial: Trial) -> None:
        folder = mkdtemp(prefix="scorekeeper-mutation-")
        sys.meta_path.insert(0, _Mutated(trial))
        watch = _Watch(trial.tests)
        files = dict.fromkeys(test.partition("::")[0] for test in trial.tests)
        try:
            code = pytest.main([*OPTIONS, "-x", f"--basetemp={folder}/tests", *files], plugins=[watch])
        except BaseException:
            code = 1
        shutil.rmtree(folder, ignore_errors=True)
        out.send(Outcome(SURVIVED) if code == 0 else Outcome(CAUGHT, watch.failed or "import"))


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):  # type: ignore[misc]  # typeshed: SourceLoader's bases disagree
    """Imports one module from a mutant's source."""

    def __init__(self, trial: Trial) -> None:
        self.trial, self.path = trial, file_of(trial.module)

    def find_spec(self, fullname: str, _path: Any, _target: ModuleType | None = None) -> Any:
        if fullname != self.trial.module:
            return None
        is_package = self.path.name == "__init__.py"
        search = [str(self.path.parent)] if is_package else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=search
        )

    def get_filename(self, _fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        return self.trial.source.encode() if path == str(self.path) else Path(path).read_bytes()


class _Watch:
    """A plugin that selects these tests, in this order, and notes the first that fails."""

    def __init__(self, tests: tuple[str, ...]) -> None:
        self.order = {test: index for index, test in enumerate(tests)}
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = [item for item in items if item.nodeid in self.order]
        if len(found) != len(self.order):
            raise LookupError("the mutant changes which tests there are")
        items[:] = sorted(found, key=lambda item: self.order[item.nodeid])
        for item in items:
            _limit_examples(item)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid


def _with_next(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None][: len(items)], strict=True)


def _passes(item: pytest.Item, then: pytest.Item | None) -> bool:
    reports: list[pytest.TestReport] = []
    plugin = _Reports(reports)
    item.config.pluginmanager.register(plugin)
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=then)
    item.config.pluginmanager.unregister(plugin)
    return not any(report.failed for report in reports)


class _Reports:
    def __init__(self, reports: list[pytest.TestReport]) -> None:
        self.reports = reports

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(report)


def _limit_examples(item: pytest.Item) -> None:
    """Make a Hypothesis test try only a few examples, always the same, and report the first that fails."""
    test: Any = getattr(item, "function", None)
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if own is not None:
        test._hypothesis_internal_use_settings = settings(
            own,
            max_examples=min(own.max_examples, MAX_EXAMPLES),
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
        )


def _tracer(files: set[str]) -> coverage.Coverage:
    return coverage.Coverage(data_file=None, include=sorted(files), config_file=False, messages=False)


def _lines(tracer: coverage.Coverage) -> dict[str, set[int]]:
    data = tracer.get_data()
    return {file: set(data.lines(file) or ()) for file in data.measured_files()}


def _copy_one_database(folder: Path) -> None:
    """Copy every test's database from one that is migrated once, instead of migrating in each fork."""
    databases: Any = sys.modules.get("tests.databases")
    if databases is None or databases.ON_POSTGRESQL:
        return
    ready = folder / "ready.sqlite3"
    in_a_fork(lambda out: out.send(databases.migrate(f"sqlite:///{ready}") or "done"))
    databases.migrate = lambda url: shutil.copy(ready, url.removeprefix("sqlite:///"))
