"""A lower bound of a kernel's time on a GPU, by the roofline model (Williams, Waterman and
Patterson, "Roofline: an insightful visual performance model for multicore architectures", 2009).
"""

from compiler_core.schedule.targets import GpuTarget


def estimate_us(bytes_moved: int, flops: int, gpu: GpuTarget, peak: float) -> float:
    """Microseconds of one launch: the longer of moving its bytes at full memory bandwidth and of
    `flops` operations at `peak` operations a second (in both, a multiply-add is two), plus the
    launch itself. A lower bound, not a prediction: latency, occupancy and caches are not
    modelled."""
    return max(bytes_moved / gpu.bandwidth, flops / peak) * 1e6 + gpu.launch_us
