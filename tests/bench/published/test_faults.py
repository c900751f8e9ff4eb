"""What a wrong table or source is told."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.project import DataDir
from bench.published import Source, load_published, load_sources, read_table

SOURCE = Source(
    source_id="a", table="a.csv", title="A", url="https://a.example", published=datetime(2024, 1, 2).date(),
    licence="MIT", protocol="a", transcribed="by hand", comparable="all",
)  # fmt: skip
HEADER = "workload,device_name,value_kind,status,rate,rate_unit,flags,settings,recorded_at,batch"


def table(tmp_path: Path, *lines: str, header: str = HEADER):
    file = tmp_path / "a.csv"
    file.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return read_table(file, SOURCE)


def test_a_row_is_completed_from_its_source(tmp_path):
    (row,) = table(tmp_path, 'decode,X,stated,ok,1.5,tokens/s,,"{""b"": 1, ""a"": 2}",,')
    assert row["recorded_at"] == datetime(2024, 1, 2, tzinfo=UTC)
    assert (row["run_id"], row["protocol"], row["device_count"]) == ("published-a", "a", 1)
    assert row["settings"] == '{"a": 2, "b": 1}' and row["method_version"] is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("decode,X,stated,ok,fast,tokens/s,,,,", "line 2, column rate: found 'fast', expected a number"),
        ("decode,X,stated,ok,nan,tokens/s,,,,", "line 2, column rate: found 'nan'"),
        ("decode,X,stated,ok,1,tokens/s,odd,,,", "line 2, column flags: found 'odd', expected flags out of"),
        (
            "decode,X,stated,ok,1,tokens/s,,[1],,",
            "line 2, column settings: found '[1]', expected a JSON object",
        ),
        ('decode,X,stated,ok,1,tokens/s,,"{""a"": NaN}",,', "line 2, column settings"),
        ("decode,X,stated,ok,1,tokens/s,,,May,", "line 2, column recorded_at: found 'May', expected a date"),
        (
            "decode,X,stated,ok,1,tokens/s,,,,1.5",
            "line 2, column batch: found '1.5', expected a whole number",
        ),
        ("decode,X,stated,ok,,tokens/s,,,,", "line 2: A row does not fit the schema: status is ok but rate"),
        ("decode,X,guessed,ok,1,tokens/s,,,,", "value_kind is 'guessed'"),
        ("decode,,stated,ok,1,tokens/s,,,,", "device_name is missing"),
        ("decode,X,stated,ok,1", "line 2: found 5 values, expected 10"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, told):
    with pytest.raises(BenchError) as caught:
        table(tmp_path, line)
    assert str(tmp_path / "a.csv") in caught.value.message and told in caught.value.message


def test_the_loaders_own_columns_may_not_be_set(tmp_path):
    with pytest.raises(BenchError, match="unknown column 'task_key'"):
        table(tmp_path, header=HEADER + ",task_key")


def test_two_equal_lines_are_refused(tmp_path):
    line = "decode,X,stated,ok,1,tokens/s,,,,"
    with pytest.raises(BenchError, match="line 3: says the same as line 2"):
        table(tmp_path, line, line.replace(",1,", ",2,"))


def write_sources(tmp_path: Path, text: str) -> Path:
    (tmp_path / "published").mkdir(exist_ok=True)
    file = tmp_path / "published" / "sources.toml"
    file.write_text(text, encoding="utf-8")
    return file


GOOD = """[a]
table = "a.csv"
title = "A"
url = "https://a.example"
published = 2024-01-02
licence = "MIT"
protocol = "a"
transcribed = "by hand"
comparable = "all"
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[a", "is not TOML"),
        ("a = 1", "'a' should be a table"),
        ("[A]\n", "'A' should be a table named in lower-case"),
        (GOOD.replace('"MIT"', "1"), "[a], licence: expected str"),
        (GOOD.replace('licence = "MIT"\n', ""), "[a]: licence missing"),
        (GOOD + 'colour = "red"\n', "[a]: unknown key 'colour'"),
        (GOOD.replace('"a.csv"', '"../a.csv"'), "names of CSV files"),
        (GOOD.replace("2024-01-02", "2024-01-02T03:04:05"), "[a], published: expected date"),
    ],
)
def test_faults_in_sources_are_named(tmp_path, text, told):
    file = write_sources(tmp_path, text)
    with pytest.raises(BenchError) as caught:
        load_sources(file)
    assert str(file) in caught.value.message and told in caught.value.message


def test_a_table_without_a_source_is_refused(tmp_path):
    write_sources(tmp_path, "")
    (tmp_path / "published" / "stray.csv").write_text("x\n", encoding="utf-8")
    with pytest.raises(BenchError, match=r"stray\.csv belongs to no source"):
        load_published(DataDir(tmp_path))


def test_a_project_without_published_tables_has_none(tmp_path):
    assert load_published(DataDir(tmp_path)).rows == ()
