"""A lower bound of a kernel's time on a GPU, by the roofline model."""

from compiler_core.schedule.targets import GpuTarget


def estimate_us(bytes_moved: int, flops: int, gpu: GpuTarget, peak: float) -> float:
    """Microseconds of one launch: the slower of moving its bytes at full memory bandwidth and
    computing at `peak` operations a second, plus the launch itself. A lower bound, not a
    prediction: latency, occupancy and caches are not modelled."""
    return max(bytes_moved / gpu.bandwidth, flops / peak) * 1e6 + gpu.launch_us
