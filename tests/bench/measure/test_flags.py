"""Every flag that the code can put on a row is in the registry, with what to do about it."""

import ast
from pathlib import Path

import bench
from bench.measure.flags import ADVICE, FLAGS
from bench.measure.gate import CAUSES
from bench.telemetry import KEYS

ROOT = Path(bench.__file__).parent
#: Where measured rows get their flags; imported and published rows have registries of their own.
FOLDERS = ("measure", "telemetry", "runner", "workloads")


def emitted(tree: ast.AST) -> set[str]:
    """Texts that look like flags in expressions that make flags: assignments to, additions to, and arguments
    and keys called ``flags`` or ``flag``, ``found`` lists of a function called ``flags``."""
    texts = set()
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any("flag" in ast.unparse(target).lower() for target in targets):
                parts.append(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("flags.append"):
            parts += node.args
        elif isinstance(node, ast.keyword) and node.arg == "flags":
            parts.append(node.value)
        elif isinstance(node, ast.Dict):
            parts += [v for k, v in zip(node.keys, node.values, strict=True) if _is(k, "flags")]
        elif isinstance(node, ast.FunctionDef) and node.name == "flags":
            parts += node.body
        elif isinstance(node, ast.For) and "flag" in ast.unparse(node.target).strip("()").split(", "):
            parts += [pair.elts[-1] for pair in node.iter.elts]
        for part in parts:
            texts |= {
                n.value
                for n in ast.walk(part)
                if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value.islower()
            }
    return {text for text in texts if text.replace("-", "").isalpha() and text != "flags"}


def _is(node: ast.AST | None, value: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def test_every_flag_that_is_emitted_is_registered():
    found = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name != "flags.py":
                for flag in emitted(ast.parse(path.read_text("utf-8"))):
                    found.setdefault(flag, path.name)
    assert {flag: where for flag, where in found.items() if flag not in FLAGS} == {}
    assert FLAGS.keys() == found.keys(), "a flag that nothing emits"


def test_every_flag_says_what_it_means_and_what_to_do():
    assert FLAGS.keys() == ADVICE.keys()
    for text in (*FLAGS.values(), *ADVICE.values(), *KEYS.values()):
        assert text
        assert "\n" not in text


def test_causes_of_slowness_are_flags():
    assert CAUSES.keys() <= FLAGS.keys()
