"""What forks afterwards begins no GPU: its children could not use it."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu

# A machine with a GPU, as far as torch and the targets say, on which beginning CUDA is an error.
_PROGRAM = """
import os
import torch

def begun(*given, **named):
    raise RuntimeError("CUDA was begun")

torch.cuda._lazy_init = torch.cuda.get_device_properties = torch.accelerator.current_stream = begun
torch.cuda.is_available = torch.accelerator.is_available = lambda: True
torch.cuda.device_count = lambda: 1

from compiler_core import pipeline
from compiler_core.schedule import own_gpu, targets

own = own_gpu.OwnGpu("NVIDIA H200", 90, 132, 4.8e12, 66.9e12)
targets.own_gpu = lambda: own
pipeline.warm()
print("warm, and", torch.cuda.is_available(), torch.accelerator.is_available())
"""


def test_a_process_warms_up_without_beginning_a_gpu() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False, timeout=110
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "warm, and True True" in done.stdout
