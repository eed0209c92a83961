"""Operations on workers, and the balance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marketplace import fees
from marketplace.api.calls import Call, Handler, listed
from marketplace.models import WorkerBlock
from marketplace.services import people


def create_block(call: Call) -> Mapping[str, Any]:
    people.block(call.requester, call["WorkerId"], call["Reason"], call.now)
    return {}


def delete_block(call: Call) -> Mapping[str, Any]:
    people.unblock(call.requester, call["WorkerId"])
    return {}


def list_blocks(call: Call) -> Mapping[str, Any]:
    rows = WorkerBlock.objects.filter(requester=call.requester).select_related("worker")
    return listed(
        call, rows, "WorkerBlocks", lambda block: {"WorkerId": block.worker.worker_id, "Reason": block.reason}
    )


def notify_workers(call: Call) -> Mapping[str, Any]:
    failures = people.notify(call.requester, call["WorkerIds"], call["Subject"], call["MessageText"], call.now)
    return {
        "NotifyWorkersFailureStatuses": [
            {"NotifyWorkersFailureCode": "HardFailure", "NotifyWorkersFailureMessage": why, "WorkerId": worker_id}
            for worker_id, why in failures.items()
        ]
    }


def get_balance(call: Call) -> Mapping[str, Any]:
    call.requester.refresh_from_db(fields=["balance_cents", "on_hold_cents"])
    return {
        "AvailableBalance": fees.amount_of(call.requester.balance_cents),
        "OnHoldBalance": fees.amount_of(call.requester.on_hold_cents),
    }


OPERATIONS: dict[str, Handler] = {
    "CreateWorkerBlock": create_block,
    "DeleteWorkerBlock": delete_block,
    "ListWorkerBlocks": list_blocks,
    "NotifyWorkers": notify_workers,
    "GetAccountBalance": get_balance,
}
