import os
import signal
import subprocess
import sys
import textwrap
from select import select

KILLED = """
    import multiprocessing, os, signal
    from concurrent.futures import ProcessPoolExecutor
    from conformance.orphans import end_with_parent

    if __name__ == "__main__":
        spawned = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(1, mp_context=spawned, initializer=end_with_parent)
        print(pool.submit(os.getpid).result(), flush=True)
        input()
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_of_a_pool_ends_with_one_that_is_killed(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(textwrap.dedent(KILLED))
    killed = subprocess.Popen(
        [sys.executable, script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": "."},
    )
    assert killed.stdin is not None and killed.stdout is not None
    inner = int(killed.stdout.readline())
    watched = os.pidfd_open(inner)
    killed.stdin.write(b"now\n")
    killed.stdin.close()
    assert killed.wait(30) == -signal.SIGKILL
    assert select([watched], [], [], 30)[0], f"process {inner} is left"
    os.close(watched)
