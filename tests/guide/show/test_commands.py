"""Every command that a page prints exists, with the options and the choices that it names."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import click
import pytest

from bench.cli import main
from bench.project import DataDir
from guide.build import build
from guide.decide.scenarios import ROUTES, load_scenarios
from guide.evidence import load_evidence
from guide.show import commands

ROOT = Path(__file__).resolve().parents[3]
#: What stands for the reader's own value.
PLACEHOLDERS = {"AMOUNT": "1", "YYYY-MM-DD": "2026-01-01", "LINK": "x", "FILE": "x"}


def printed(text: str) -> set[str]:
    """The calls of ``bench`` in code spans and blocks of a page, in Markdown or HTML."""
    code = re.findall(r"<code>(.*?)</code>", text, re.DOTALL) + re.findall(r"`(bench [^`\n]+)`", text)
    code += re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in code for line in html.unescape(block).splitlines()]
    return {line for line in lines if line.startswith("bench ")}


def check(call: str) -> None:
    """Parse the call as the command line would, running nothing."""
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(call)[1:]]
    command: click.Command = main
    context = click.Context(main, info_name="bench")
    while isinstance(command, click.Group) and words:
        name = words.pop(0)
        found = command.get_command(context, name)
        assert found is not None, f"no command {name!r} in {call!r}"
        command, context = found, click.Context(found, parent=context, info_name=name)
    parser = command.make_parser(context)
    values, rest, _ = parser.parse_args(list(words))
    assert not rest or any(isinstance(p, click.Argument) for p in command.params), call
    for parameter in command.params:
        if parameter.name in values and isinstance(parameter.type, click.Choice):
            parameter.type_cast_value(context, values[parameter.name])


@pytest.fixture(scope="module")
def calls(example_data: DataDir, built_empty: str) -> set[str]:
    site = build(load_evidence(example_data))
    pages = [content.decode() for path, content in site.files.items() if path.endswith(".md")]
    return set().union(*map(printed, [*pages, built_empty]))


@pytest.fixture(scope="module")
def built_empty(new_project, tmp_path_factory: pytest.TempPathFactory) -> str:
    project = new_project(tmp_path_factory.mktemp("nothing"), empty=True)
    site = build(load_evidence(DataDir(project / "data")))
    return "\n".join(content.decode() for path, content in site.files.items() if path.endswith(".md"))


def test_pages_print_commands_that_exist(calls: set[str]) -> None:
    assert {"collect", "import"} <= {call.split()[1] for call in calls}
    for call in sorted(calls):
        check(call)


def test_each_question_of_the_guide_has_a_command_that_exists() -> None:
    settings = load_scenarios(ROOT / "data" / "scenarios.toml")
    found = {commands.measure(q) for s in settings.scenarios for q in s.questions}
    for call in sorted(found):
        check(call)
    # The collector's own types are measured, those of other tools imported.
    assert {"bench collect", commands.IMPORT[:12]} <= {call[:13].strip() for call in found}


@pytest.mark.parametrize("route", ROUTES)
def test_a_price_can_be_added_for_each_way_of_paying(made, route: str) -> None:
    mac = made.device("mac", form="soc")
    evidence = made.evidence([made.row("card", 1.0), made.row("mac", 1.0)], [], devices=[mac])
    for system in evidence.systems.values():
        check(commands.add_price(system, route))


@pytest.mark.parametrize("call", ["bench collet", "bench collect --speed 3", "bench prices add x --kind odd"])
def test_the_check_itself_refuses(call: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        check(call)
