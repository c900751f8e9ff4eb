"""A TOML file as tables; whatever is wrong with it is one message that names it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from bench.errors import BenchError


def read(path: Path) -> dict[str, Any]:
    """The file's tables. Raises ``BenchError`` when it is not UTF-8, not TOML or nested without end, and
    ``FileNotFoundError`` when there is none."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BenchError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BenchError(
            f"{path} is not UTF-8: byte {error.start} is no text.", hint="Save it with that encoding."
        ) from error
    except RecursionError as error:
        raise BenchError(f"{path} is not valid TOML: its lists are nested too deep.") from error
    except ValueError as error:  # TOMLDecodeError, and Python's own limit on the digits of a number
        raise BenchError(f"{path} is not valid TOML: {error}") from error
