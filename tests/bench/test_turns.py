"""Those of a batch compile side by side, and each is measured while nothing else runs."""

import threading
import time
from pathlib import Path

from bench.turns import Turns

COUNT, MEASURED = 6, 2


def test_nobody_compiles_or_measures_while_one_measures(tmp_path: Path) -> None:
    running, seen, lock = set[str](), list[set[str]](), threading.Lock()

    def during(kind: str) -> None:
        with lock:
            running.add(kind)
            seen.append(set(running))
        time.sleep(0.005)
        with lock:
            running.remove(kind)

    def one(name: str) -> None:
        turns = Turns(tmp_path / "turns")
        with turns.compiling():
            for _ in range(MEASURED):
                during(f"compiles {name}")
                with turns.measuring("cpu"):
                    during(f"measures {name}")

    threads = [threading.Thread(target=one, args=(str(n),)) for n in range(COUNT)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = [each for each in seen if any(name.startswith("measures") for name in each)]
    assert len(alone) == COUNT * MEASURED and all(len(each) == 1 for each in alone)
    assert max(map(len, seen)) > 1
