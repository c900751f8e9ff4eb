"""The workflows for GitHub: what they run exists, what they may do is the least, and the judge judges."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from bench.cli import main
from guide.publish import starter

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".github" / "workflows"
NAMES = sorted(path.name for path in FOLDER.iterdir())


def parsed(name: str) -> dict[str, Any]:
    found = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    found["on"] = found.pop(True)  # YAML 1.1 takes the word for a truth value
    return found


def steps(name: str) -> Iterator[dict[str, Any]]:
    for job in parsed(name)["jobs"].values():
        yield from job["steps"]


def calls(name: str) -> Iterator[list[str]]:
    for step in steps(name):
        for line in step.get("run", "").splitlines():
            if re.match(r"\s*(bench|mkdocs) ", line):
                yield shlex.split(line)


def test_a_new_folder_gets_every_workflow() -> None:
    assert tuple(NAMES) == starter.WORKFLOWS
    made = starter.files()
    for name in NAMES:
        ours = (FOLDER / name).read_text("utf-8").splitlines()
        theirs = made[f".github/workflows/{name}"].decode().splitlines()
        differ = [(a.strip(), b.strip()) for a, b in zip(ours, theirs, strict=True) if a != b]
        assert [b for _, b in differ] == ["run: python -m pip install -r requirements.txt"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_called_exists(name: str) -> None:
    found = list(calls(name))
    assert found
    for program, *words in found:
        if program == "mkdocs":
            assert words == ["build", "--strict"]
            continue
        command: click.Command = main
        while isinstance(command, click.Group):
            sub = command.get_command(click.Context(command), words[0])
            assert sub is not None, words
            command, words = sub, words[1:]
        known = {option for p in command.params for option in p.opts}
        assert {word for word in words if word.startswith("-")} <= known, words


@pytest.mark.parametrize("name", NAMES)
def test_actions_are_pinned_and_leave_no_token_behind(name: str) -> None:
    used = [step for step in steps(name) if "uses" in step]
    for step in used:
        assert re.fullmatch(r"actions/[a-z-]+@(v\d+\.\d+\.\d+|[0-9a-f]{40})", step["uses"]), step["uses"]
        if step["uses"].startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    assert used


def test_who_may_write_what() -> None:
    publish, submission = parsed("publish.yml"), parsed("submission.yml")
    assert publish["permissions"] == {}
    assert {name: job["permissions"] for name, job in publish["jobs"].items()} == {
        "build": {"contents": "read", "pages": "read"},
        "publish": {"pages": "write", "id-token": "write"},
        "keep": {"contents": "write"},
    }
    assert not any("run" in step for step in publish["jobs"]["publish"]["steps"])
    # Beside the right to write runs nothing that was installed or built.
    for step in publish["jobs"]["keep"]["steps"]:
        assert step.get("uses", "actions/checkout@").startswith(("actions/checkout@", "actions/download-"))
        script = re.sub(r"::error::.*", "", step.get("run", ""))
        assert not re.search(r"\b(pip|python|bench|mkdocs)\b", script)
    assert submission["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in submission["jobs"].values())
    for name in NAMES:
        assert all("timeout-minutes" in job for job in parsed(name)["jobs"].values())


def test_what_others_offer_meets_no_secret_and_no_code_of_theirs() -> None:
    found = parsed("submission.yml")
    assert list(found["on"]) == ["pull_request"], "pull_request_target would hand out secrets"
    text = (FOLDER / "submission.yml").read_text("utf-8")
    assert "secrets." not in text and "github.token" not in text
    judge, offered, *rest = found["jobs"]["judge"]["steps"]
    assert judge["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
    assert (judge["with"]["path"], offered["with"]["path"]) == ("project", "offered")
    assert all(step["working-directory"] == "project" for step in rest if "run" in step)
    for name in NAMES:
        for step in steps(name):
            # Text of a pull request that is put into a script would be run.
            assert "${{" not in step.get("run", "")


def test_what_was_published_is_kept_after_it_was() -> None:
    jobs = parsed("publish.yml")["jobs"]
    assert jobs["publish"]["needs"] == "build" and jobs["keep"]["needs"] == "publish"
    build = jobs["build"]["steps"]
    said = next(n for n, step in enumerate(build) if step.get("run") == "bench site snapshot")
    built = next(n for n, step in enumerate(build) if step.get("run") == "mkdocs build --strict")
    assert built < said, "else the build would tell that nothing has moved since itself"
    given, taken = build[-1]["with"], jobs["keep"]["steps"][1]["with"]
    assert (given["name"], given["path"]) == (taken["name"], taken["path"]) == ("history", "data/history")
    for job in (
        "build",
        "keep",
    ):  # the branch as it is now, with what the publication before has kept
        assert jobs[job]["steps"][0]["with"]["ref"] == "${{ github.ref_name }}"


@pytest.fixture
def keep(tmp_path: Path):
    """``keep(files)``: what the last step makes of these files of data/history, and the branch thereafter."""
    (step,) = (s for s in steps("publish.yml") if s.get("name") == "Keep")
    remote, work = tmp_path / "o" / "guide", tmp_path / "work"
    environment = os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "GITHUB_SERVER_URL": str(tmp_path),
        "GITHUB_REPOSITORY": "o/guide", "GITHUB_REF_NAME": "main",
    }  # fmt: skip

    def git(*words: str, at: Path = work) -> str:
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        done = subprocess.run(
            ["git", "-C", str(at), *identity, *words],
            check=True, capture_output=True, text=True, env=environment,
        )  # fmt: skip
        return done.stdout

    for folder in (remote, work):
        folder.mkdir(parents=True)
    git("init", "-q", "--bare", "-b", "main", at=remote)
    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "the branch")
    git("push", "-q", str(remote), "main")

    def run(files: dict[str, str]) -> tuple[int, str, list[str]]:
        for name, text in files.items():
            path = work / "data" / "history" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=work, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        kept = git("ls-tree", "-r", "--name-only", "main", at=remote).split()
        return done.returncode, done.stdout + done.stderr, kept

    run.git, run.remote = git, remote  # type: ignore[attr-defined]
    return run


@pytest.fixture
def judge(tmp_path: Path, add_runs):
    """``judge(change)``: a branch with one run, a change on top of it, and what the workflow makes of it."""
    script = next(step["run"] for step in steps("submission.yml") if step.get("name") == "Judge")
    offered = tmp_path / "offered"
    made = add_runs(tmp_path / "made")
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    # The judge itself is tested elsewhere: here it is written down what is put before it.
    (bin_dir / "bench").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$ASKED"\nexit "$VERDICT"\n')
    (bin_dir / "bench").chmod(0o755)
    environment = os.environ | {
        "PATH": f"{bin_dir}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "ASKED": str(tmp_path / "asked"),
        "VERDICT": "0",
    }

    def git(*words: str) -> None:
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(
            ["git", "-C", str(offered), *identity, *words], check=True, capture_output=True, env=environment
        )

    def put(source: Path) -> Path:
        target = offered / "data" / "runs" / source.parent.name / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        return target

    (tmp_path / "project").mkdir()
    offered.mkdir()
    git("init", "-q", "-b", "main")
    put(made[0])
    git("add", ".")
    git("commit", "-q", "-m", "the branch")

    def run(change, verdict: int = 0, *, whole: bool = True) -> tuple[int, str, list[str]]:
        git("checkout", "-q", "-b", "offer")
        change(lambda: put(made[1]), offered / "data" / "runs" / made[0].parent.name / made[0].name)
        git("add", ".")
        git("commit", "-q", "--allow-empty", "-m", "the offer")
        git("checkout", "-q", "main")
        git("merge", "-q", "--no-ff", "-m", "merged", "offer")
        if not whole:  # as if only the last commit had been fetched
            git("checkout", "-q", "--orphan", "alone")
            git("commit", "-q", "-m", "alone")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
            cwd=tmp_path / "project",
            env=environment | {"VERDICT": str(verdict)},
            capture_output=True,
            text=True,
        )
        asked = Path(environment["ASKED"])
        return (
            done.returncode,
            done.stdout + done.stderr,
            asked.read_text().splitlines() if asked.exists() else [],
        )

    return run


in_bash = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("git"), reason="the workflow runs in bash, with git"
)


@in_bash
@pytest.mark.parametrize("known", [True, False])
def test_a_repository_without_pages_is_told_what_to_choose(tmp_path: Path, known: bool) -> None:
    (step,) = (s for s in steps("publish.yml") if s.get("name") == "Find the guide's address")
    gh = tmp_path / "gh"
    said = "echo https://o.github.io/guide/" if known else 'echo \'{"message": "Not Found"}\'; exit 1'
    gh.write_text(f"#!/bin/sh\n{said}\n")
    gh.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "GITHUB_REPOSITORY": "o/guide",
        "GITHUB_ENV": str(tmp_path / "env"),
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    if known:
        assert done.returncode == 0
        assert (tmp_path / "env").read_text() == "SITE_URL=https://o.github.io/guide/\n"
    else:
        assert done.returncode == 1 and "::error::Choose Settings" in done.stdout
        assert not (tmp_path / "env").exists()


@in_bash
def test_what_the_guide_said_becomes_a_commit_of_the_branch(keep) -> None:
    code, told, kept = keep({"2026-12-01.json": "{}"})
    assert code == 0 and kept == ["data/history/2026-12-01.json"], told
    assert "github-actions[bot]" in keep.git("log", "-1", "--format=%an %ae", "main", at=keep.remote)
    code, told, kept = keep({"2026-12-01.json": "{}"})
    assert code == 0 and "nothing to keep" in told
    assert keep.git("rev-list", "--count", "main", at=keep.remote).strip() == "2"
    _, _, kept = keep({"2026-12-01-2.json": "{}"})
    assert len(kept) == 2


@in_bash
def test_a_branch_that_takes_no_commit_is_named(keep) -> None:
    hook = keep.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    code, told, kept = keep({"2026-12-01.json": "{}"})
    assert code == 1 and kept == []
    assert "::error::The guide is published, but main took no commit" in told


@in_bash
@pytest.mark.parametrize("verdict", [0, 1])
def test_an_added_run_is_judged_and_the_verdict_counts(judge, verdict: int) -> None:
    code, told, asked = judge(lambda put, _: put(), verdict)
    assert code == verdict, told
    assert asked[:2] == ["verify", "--submission"]
    (name,) = asked[2:]
    assert re.fullmatch(r"\.\./offered/data/runs/\d{8}/[^/]+\.parquet", name)


@in_bash
def test_runs_of_the_store_may_not_be_changed_or_removed(judge) -> None:
    code, told, asked = judge(lambda _, old: old.write_bytes(b"PAR1 other figures"))
    assert code == 1 and "not changed or removed" in told and asked == []


@in_bash
def test_a_run_may_not_be_renamed(judge) -> None:
    code, told, asked = judge(lambda _, old: old.rename(old.with_name("mine.parquet")))
    assert code == 1 and "not changed or removed" in told and asked == []


@in_bash
@pytest.mark.parametrize("name", ["notes.txt", "$(touch owned).parquet.sh", "a\nb.txt"])
def test_other_files_among_the_runs_are_refused(judge, name: str, tmp_path: Path) -> None:
    def change(_, old: Path) -> None:
        old.with_name(name).write_text("x")

    code, told, asked = judge(change)
    assert code == 1 and "No run file" in told and asked == []
    assert not list(tmp_path.rglob("owned"))


@in_bash
def test_a_link_is_no_run_file(judge) -> None:
    code, told, asked = judge(lambda _, old: old.with_name("x.parquet").symlink_to("/etc/passwd"))
    assert code == 1 and "No run file" in told and asked == []


@in_bash
def test_a_pull_request_without_runs_passes(judge) -> None:
    assert judge(lambda *_: None)[0] == 0


@in_bash
def test_what_cannot_be_compared_with_the_branch_does_not_pass(judge) -> None:
    code, _, asked = judge(lambda put, _: put(), whole=False)
    assert code != 0 and asked == []
