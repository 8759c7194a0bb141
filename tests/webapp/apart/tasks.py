"""What a process apart is asked for in tests."""

import json
import os
import time


def joined(a: bytes, b: bytes) -> bytes:
    return a + b


def hungry() -> bytes:
    return bytes(2**31)


def slow() -> bytes:
    time.sleep(60)
    return b""


def environment() -> bytes:
    return json.dumps([dict(os.environ), os.nice(0)]).encode()


def large(size: bytes) -> bytes:
    return bytes(int(size))
