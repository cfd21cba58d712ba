"""Cases in several processes, with a limit of time for each; a process that dies is a fault."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from tests.fuzz.cases import FAULT, Outcome, draw_case, run_case

#: Seconds for a case before its process is ended.  The first ones wait for the compiler.
LIMIT = 120.0


def run_cases(numbers: list[int], seed: int, jobs: int, only: str = "") -> Iterator[Outcome]:
    """Run cases and give their outcomes as they come."""
    if jobs == 1:
        yield from (run_case(seed, number, only) for number in numbers)
        return
    waiting = list(reversed(numbers))
    context = multiprocessing.get_context("spawn")
    workers: dict[Any, dict[str, Any]] = {}

    def start() -> None:
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there, seed, only), daemon=True)
        process.start()
        there.close()
        workers[here] = {"process": process, "number": None, "since": 0.0}
        hand_out(here)

    def hand_out(connection: Connection) -> None:
        worker = workers[connection]
        if waiting:
            worker["number"], worker["since"] = waiting.pop(), time.monotonic()
            connection.send(worker["number"])
        else:
            connection.send(None)
            del workers[connection]

    for _ in range(min(jobs, len(numbers))):
        start()
    while workers:
        for connection in wait(list(workers), timeout=5.0):
            number = workers[connection]["number"]
            try:
                outcome = connection.recv()
            except EOFError:
                yield _lost(seed, number, only, "the process died")
                del workers[connection]
                start()
                continue
            yield outcome
            hand_out(connection)
        for connection, worker in list(workers.items()):
            if time.monotonic() - worker["since"] > LIMIT:
                worker["process"].kill()
                yield _lost(seed, worker["number"], only, f"not done after {LIMIT:g} s")
                del workers[connection]
                start()


def _lost(seed: int, number: int, only: str, what: str) -> Outcome:
    case = draw_case(seed, number, only)
    return Outcome(number, FAULT, case.entry.name, str(case), "running", what)


def _work(connection: Connection, seed: int, only: str) -> None:
    while (number := connection.recv()) is not None:
        connection.send(run_case(seed, number, only))
