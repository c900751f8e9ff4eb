"""The catalog file: what it holds, and what a wrong line is told."""

from pathlib import Path

import pytest

from bench.catalog import Catalog
from bench.catalog.devices import COLUMNS
from bench.errors import BenchError

DATA = Path(__file__).parents[3] / "data" / "devices.csv"

GOOD = {
    "device_id": "acme-x1", "name": "Acme X1", "class": "consumer", "form": "card", "memory_gib": "24",
    "fp16_dense_tflops": "100", "int8_dense_tops": "200", "source": "a test", "confidence": "high",
}  # fmt: skip


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.load(DATA)


def write(path: Path, *lines: dict[str, str]) -> Path:
    file = path / "devices.csv"
    rows = [",".join(line.get(c, "") for c in COLUMNS) for line in lines]
    file.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n", encoding="utf-8")
    return file


def test_the_projects_catalog_loads(catalog):
    assert len(catalog.devices) == 225
    card = catalog.devices["nvidia-rtx-4090"]
    assert (card.device_class, card.form, card.memory_gib, card.tdp_w) == ("consumer", "card", 24, 450)
    assert card.peak_flops("fp16") == pytest.approx(165.2e12)
    assert card.peak_flops("tf32") == pytest.approx(82.6e12)
    assert catalog.devices["apple-m1"].compute_units == (7, 8)
    assert catalog.devices["nvidia-t4"].memory_bytes == 15360 * 2**20
    assert catalog.get("no-such-device") is None
    assert [d.device_id for d in catalog if d.generic] == [
        "cpu-generic-intel-xeon", "cpu-generic-amd-epyc", "cpu-generic-x86", "cpu-generic-arm",
    ]  # fmt: skip


def test_systems_on_a_chip_share_their_memory(catalog):
    assert all(d.memory_unified for d in catalog if d.form == "soc")
    assert not any(d.memory_unified for d in catalog if d.form != "soc")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"device_id": "Acme X1"}, "column device_id: found 'Acme X1', expected lower-case words"),
        ({"name": ""}, "column name: found nothing, expected a value"),
        ({"class": "gamer"}, "column class: found 'gamer', expected one of datacenter"),
        ({"memory_gib": "24 GB"}, "column memory_gib: found '24 GB', expected a number from 0.1 to 4096 GiB"),
        ({"memory_gib": "nan"}, "column memory_gib: found 'nan'"),
        ({"memory_gib": "1_0"}, "column memory_gib: found '1_0'"),
        ({"fp16_dense_tflops": "inf"}, "column fp16_dense_tflops: found 'inf'"),
        ({"int8_dense_tops": "330"}, "column int8_dense_tops: found '330', expected 1 or 2 or 4 times"),
        ({"fp8_dense_tflops": "400"}, "column fp8_dense_tflops: found '400'"),
        ({"dense_basis": "100 SM x 1000 MHz x 512"}, "column fp16_dense_tflops: found '100', expected 51.2"),
        ({"memory_reported_mib": "12000"}, "column memory_reported_mib"),
        ({"compute_units": "7;eight"}, "column compute_units"),
        ({"software_devices": "9" * 5000}, "column software_devices"),
        ({"released": "March 2024"}, "column released: found 'March 2024', expected a date"),
        ({"memory_varies": "maybe"}, "column memory_varies: found 'maybe', expected one of yes, no"),
    ],
)
def test_a_wrong_value_is_named_with_file_line_column_and_expectation(tmp_path, change, told):
    file = write(tmp_path, GOOD | change)
    with pytest.raises(BenchError) as caught:
        Catalog.load(file)
    assert caught.value.message.startswith(f"{file}, line 2, ")
    assert told in caught.value.message


def test_ids_and_aliases_are_unique_whatever_the_case(tmp_path):
    with pytest.raises(BenchError, match="line 3, column device_id"):
        Catalog.load(write(tmp_path, GOOD, GOOD))
    two = [GOOD | {"aliases": "Acme X"}, GOOD | {"device_id": "acme-x2", "aliases": "acme x"}]
    with pytest.raises(BenchError, match="'acme x' is one of acme-x1"):
        Catalog.load(write(tmp_path, *two))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "is empty"),
        (b"device_id,wattage\n", "line 1: unknown column 'wattage'"),
        (b"device_id\n", "line 1: missing column 'name'"),
        ((",".join(COLUMNS) + ",name\n").encode(), "line 1: repeated column 'name'"),
        ((",".join(COLUMNS) + "\na,b\n").encode(), "line 2: found 2 values, expected 28"),
        ((",".join(COLUMNS) + '\n"a\n').encode(), "line 2: not CSV"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        ((",".join(COLUMNS) + "\n").encode(), "holds no device"),
    ],
)
def test_a_file_that_is_not_a_catalog_is_refused(tmp_path, text, told):
    file = tmp_path / "devices.csv"
    file.write_bytes(text)
    with pytest.raises(BenchError) as caught:
        Catalog.load(file)
    assert told in caught.value.message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BenchError, match=r"Cannot read .*devices\.csv: No such file") as caught:
        Catalog.load(tmp_path / "devices.csv")
    assert "--data" in caught.value.hint and "bench init FOLDER" in caught.value.hint
