from __future__ import annotations

import pytest

from tesa_site.job_kinds import JOB_KINDS
from tests.product import Product

REFUSED = "Only neural runs can be tried"  # they need torch, which this installation does not have
RUN = "import sys\nfrom tests.tesa_site import every_job\nevery_job.beside_a_writer('Beside', sys.argv[1])"


@pytest.mark.slow
@pytest.mark.processes
def test_a_job_of_every_kind_gets_through_while_others_write(filled, tmp_path):
    product = Product(like=filled).start()
    try:
        output = product.python(RUN, str(tmp_path))
    finally:
        product.close()

    states = {kind: (status, error) for kind, status, error in (line.split(" ", 2) for line in output.splitlines())}
    assert {*states} == {*JOB_KINDS}
    status, error = states.pop("try_run")
    assert (status, REFUSED in error) == ("failed", True), error
    assert {kind: state for kind, state in states.items() if state[0] != "succeeded"} == {}
