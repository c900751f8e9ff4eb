"""Tiny shapes gain nothing from threads, and on a busy machine threads wait for each other."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def cpu():
    from bench.devices import open_device

    return open_device("cpu")


@pytest.fixture
def few():
    """A function that makes a harness which ends after three repetitions, whatever the clock says."""
    from bench.measure.harness import Harness
    from bench.measure.stopping import StoppingRule

    rule = StoppingRule(target=1e9, budget_s=1e9, max_samples=3, warmup_share=0, settle_samples=0, settle_s=0)
    return lambda device: Harness(device, rule)
