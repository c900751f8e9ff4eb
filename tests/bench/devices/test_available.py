"""Which devices can be used, and what a person is told when one cannot. Drivers are simulated."""

import pytest

import bench.devices as devices
from bench.devices import cuda, drivers, mps, nvml, xpu
from bench.errors import BenchError, UsageError


def test_every_kind_says_whether_it_can_be_used():
    found = devices.available()
    assert list(found) == list(devices.KINDS)
    assert found["cpu"] is None
    assert all(reason is None or len(reason) > 20 for reason in found.values())


@pytest.mark.parametrize("kind", devices.KINDS)
def test_each_file_defines_its_kind(kind):
    assert devices.backend(kind).kind == kind


def test_a_misspelt_device_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match=r"Did you mean 'cuda'\?"):
        devices.open_device("cdua")


def test_an_index_that_does_not_exist():
    with pytest.raises(UsageError, match="no device cpu:3"):
        devices.open_device("cpu", 3)
    with pytest.raises(UsageError, match="no device cpu:-1"):
        devices.open_device("cpu", -1)


def test_auto_takes_the_first_that_can_be_used(monkeypatch):
    monkeypatch.setattr(devices, "available", lambda: {"cuda": "no", "xpu": None, "mps": None, "cpu": None})
    assert devices.resolve_kind("auto") == "xpu"
    monkeypatch.setattr(devices, "available", lambda: dict.fromkeys(devices.KINDS, "no torch"))
    assert devices.resolve_kind("auto") == "cpu"


def test_without_torch_every_kind_names_the_command(monkeypatch):
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda name: None)
    assert set(devices.available().values()) == {devices.NO_TORCH}
    with pytest.raises(BenchError, match=r"pip install 'hwguide\[collect\]'"):
        devices.open_device("auto")


def test_a_torch_that_does_not_load_is_named(monkeypatch):
    real = devices.importlib.import_module

    def broken(name):
        if name == "torch":
            raise OSError("libcudart.so.13: cannot open shared object file")
        return real(name)

    monkeypatch.setattr(devices.importlib, "import_module", broken)
    with pytest.raises(BenchError, match=r"does not load \(libcudart.*--force-reinstall"):
        devices.open_device("cpu")


def test_a_kind_that_cannot_be_used_ends_in_its_reason(monkeypatch):
    monkeypatch.setattr(
        cuda.CudaDevice, "unavailable_because", classmethod(lambda cls: "because of the test")
    )
    with pytest.raises(BenchError, match="Cannot measure on 'cuda': because of the test"):
        devices.open_device("cuda")


def explain(**values):
    return cuda.explain(
        **{"built_for_cuda": None, "built_for_rocm": None, "nvidia": None, "amd": None} | values
    )


@pytest.mark.parametrize(
    ("driver", "build"), [("595.10", "cu130"), ("570.124.06", "cu126"), ("535.183.01", "cu126")]
)
def test_a_cpu_build_beside_an_nvidia_driver_names_the_build_that_fits(driver, build):
    text = explain(nvidia=driver)
    assert "CPU build" in text
    assert f"pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/{build}" in text


def test_a_driver_too_old_for_any_build_is_to_be_renewed():
    assert drivers.cuda_build("470.82.01") is None
    assert "too old" in explain(nvidia="470.82.01")


def test_a_cpu_build_beside_an_amd_driver_names_the_rocm_build(monkeypatch):
    monkeypatch.setattr(drivers, "rocm_version", lambda: "6.4.1")
    assert "whl/rocm6.4" in explain(amd="6.12.12")


def test_a_cuda_build_without_a_driver():
    assert "no NVIDIA driver answers" in explain(built_for_cuda="12.8")


def test_a_cuda_build_with_a_driver_that_shows_no_gpu():
    assert "no GPU answers" in explain(built_for_cuda="13.0", nvidia="550.54")


@pytest.mark.parametrize(("amd", "words"), [(None, "/dev/kfd"), ("6.12", "usermod")])
def test_a_rocm_build_without_a_gpu(amd, words):
    assert words in explain(built_for_rocm="6.4", amd=amd)


@pytest.mark.parametrize("visible", ["", "-1"])
def test_hidden_gpus(visible):
    assert "unset CUDA_VISIBLE_DEVICES" in explain(built_for_cuda="12.8", nvidia="570.1", visible=visible)


def test_neither_driver_nor_build():
    assert "no NVIDIA or AMD GPU driver was found" in explain()


def test_intel_gpus():
    assert "render" in xpu.explain(built_for_xpu=True, intel_gpu=True)
    assert "whl/xpu" in xpu.explain(built_for_xpu=False, intel_gpu=True)
    assert "no Intel GPU was found" in xpu.explain(built_for_xpu=False, intel_gpu=False)


def test_apple_gpus():
    assert "not a Mac" in mps.explain(apple=False, built=False, system="")
    assert "Rosetta" in mps.explain(apple=True, built=False, system="26.0")
    assert "macOS 13.2" in mps.explain(apple=True, built=True, system="13.2")


def test_what_a_mac_lists_is_understood():
    assert mps.gpu_cores('  "gpu-core-count" = 40\n') == 40
    assert mps.gpu_cores(None) is None
    assert mps.low_power_mode(" lowpowermode         1\n") is True
    assert mps.low_power_mode(" lowpowermode         0\n") is False
    assert mps.low_power_mode("Currently in use:\n") is None


def test_the_driver_is_found_without_its_library(monkeypatch):
    monkeypatch.setattr(nvml, "library", lambda: None)
    monkeypatch.setattr(drivers, "output_of", lambda *command: "570.124.06\n570.124.06")
    assert drivers.nvidia_driver() == "570.124.06"


def test_a_failing_nvidia_smi_is_no_driver(monkeypatch, tmp_path):
    monkeypatch.setattr(nvml, "library", lambda: None)
    monkeypatch.setattr(drivers, "output_of", lambda *command: "NVIDIA-SMI has failed")
    monkeypatch.setattr(drivers, "PROC_NVIDIA", tmp_path / "none")
    assert drivers.nvidia_driver() is None


def test_the_kernels_own_word_on_the_driver(monkeypatch, tmp_path):
    version = tmp_path / "version"
    version.write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build  (x)\n"
    )
    monkeypatch.setattr(nvml, "library", lambda: None)
    monkeypatch.setattr(drivers, "output_of", lambda *command: None)
    monkeypatch.setattr(drivers, "PROC_NVIDIA", version)
    assert drivers.nvidia_driver() == "570.124.06"


def test_without_a_card_nothing_is_read(monkeypatch):
    monkeypatch.setattr(nvml, "library", lambda: None)
    assert nvml.handle("00000000:01:00.0") is None
    assert nvml.read(None) == nvml.Readings()
    assert nvml.held_s(None, "power") is None
    assert nvml.driver_version() is None
