from __future__ import annotations

import pytest

from modeling import machine


@pytest.mark.parametrize(
    ("cpuinfo", "name"),
    [
        ("processor\t: 0\nmodel\t\t: 207\nmodel name\t: Fast Processor 3\n", "Fast Processor 3"),
        ("processor\t: 0\nCPU implementer\t: 0x41\n\nHardware\t: BCM2835\nModel\t\t: Board 4\n", "Board 4"),
        ("processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\n", ""),
        ("model\t\t: 207\n", ""),
    ],
)
def test_a_processor_is_named_where_the_machine_tells_its_name(cpuinfo: str, name: str):
    assert machine.processor_in(cpuinfo) == name


def test_a_machine_without_a_name_is_sentence_by_what_is_known():
    arm = {"processor": "", "cores": 2, "machine": "aarch64", "system": "Linux-6.1", "device": "cpu"}

    assert machine.sentence(arm) == "2 cores, aarch64, Linux-6.1"
    assert machine.sentence({**arm, "processor": "Board 4", "cores": 1}) == "Board 4, 1 core, aarch64, Linux-6.1"
    assert machine.sentence({"cores": None}) == ""
    assert machine.sentence(machine.hardware())
