"""The documents keep up with the program: what they name exists, and what exists is named."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bench.cli import main
from bench.devices import KINDS
from bench.suites import SUITES
from bench.workloads import WORKLOADS

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "CONTRIBUTING.md")
TEXT = {name: (ROOT / name).read_text("utf-8") for name in DOCUMENTS}


def commands(group: click.Group = main, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command, as the words that follow ``bench``."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*prefix, name))
        elif command is not None and not command.hidden:
            yield (*prefix, name)


COMMANDS = sorted(commands())


def code_lines(text: str) -> Iterator[str]:
    """Lines of code blocks, and code spans of the prose."""
    for block in re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from block.splitlines()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`([^`\n]+)`", prose)


CALL = re.compile(r"^\s*(?:uv run --no-sync )?(?:\S*[/\\])?bench (.+)$")


def bench_calls(text: str) -> Iterator[list[str]]:
    """The words after ``bench`` of each call in code."""
    for line in code_lines(text):
        for part in re.split(r"&&|;|\|", re.sub(r"(^|\s)#.*", "", line)):
            if found := CALL.match(part):
                yield shlex.split(found[1])


CALLS = [(name, call) for name, text in TEXT.items() for call in bench_calls(text)]


def test_the_documents_show_calls() -> None:
    assert len(CALLS) > 10


@pytest.mark.parametrize(("document", "call"), CALLS, ids=lambda v: v if isinstance(v, str) else " ".join(v))
def test_each_call_names_a_command_and_options_that_exist(document: str, call: list[str]) -> None:
    command: click.Command = main
    words = list(call)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        sub = command.get_command(click.Context(command), name)
        assert sub is not None, f"{document}: no command 'bench {' '.join(call)}'"
        command = sub
    # Not get_params: it would keep a help option made for a context without the group's settings.
    known = {option for p in command.params for option in p.opts + p.secondary_opts} | {"-h", "--help"}
    asked = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert asked <= known, f"{document}: 'bench {' '.join(call)}' has no {sorted(asked - known)}"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_is_documented_and_helps(command: tuple[str, ...]) -> None:
    assert any(call[: len(command)] == list(command) for _, call in CALLS), f"bench {' '.join(command)}"
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.exit_code == 0
    assert result.output.startswith("Usage:")


def in_code(name: str, text: str) -> bool:
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line) for line in code_lines(text))


@pytest.mark.parametrize("name", [*WORKLOADS, *(s.name for s in SUITES.values() if not s.hidden), *KINDS])
def test_the_readme_names_every_workload_suite_and_kind_of_device(name: str) -> None:
    assert in_code(name, TEXT["README.md"])


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {
        target
        for text in TEXT.values()
        for line in code_lines(text)
        for target in re.findall(r"(?:^|&& )make ([a-z]+)", line)
    }
    assert {"guide", "test"} <= named <= targets


@pytest.mark.parametrize("document", [*DOCUMENTS, "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + re.findall(r'(?:src|href)="([^"#]+)"', text)
    for link in links:
        if not re.match(r"[a-z]+:", link):
            assert (ROOT / link).exists(), f"{document} links to {link}"


def test_the_readme_lists_every_page_of_the_guide(built_site: Path) -> None:
    listed = set(re.findall(r"\]\(http://localhost:8000/([^)]*)\)", TEXT["README.md"]))
    assert [page for page in sorted(listed) if not (built_site / page / "index.html").is_file()] == []
    cost = (built_site / "cost" / "index.html").read_text("utf-8")
    named = {link.strip("./") for link in re.findall(r'href="(\.\.[^"#]*)" class="md-nav__link', cost)}
    assert len(named) > 5
    assert {link.split("/")[0] for link in named} <= {page.split("/")[0] for page in listed}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_are_named_exist(document: str) -> None:
    tops = ("collect/", "site/", "data/", "templates/", "tests/", "tools/")
    for span in re.findall(r"`([^`\n]+)`", TEXT[document]):
        # Placeholders (<name>, *) stand for a family; the folder above them must exist.
        path = re.split(r"[<*…]", span)[0]
        if span.startswith(tops) and " " not in span:
            target = ROOT / path
            assert target.exists() or ("<" in span and target.parent.is_dir()), f"{document}: {span}"


def test_the_ci_script_runs_the_readmes_test_command() -> None:
    lines = [line for line in (ROOT / ".ci/run").read_text("utf-8").splitlines() if not line.startswith("#")]
    assert lines[-1] == "exec make test"
    assert in_code("make test", TEXT["README.md"])
