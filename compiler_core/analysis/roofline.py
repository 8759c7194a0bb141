"""How long a kernel takes on a GPU that is not here, at the least."""

from compiler_core.schedule.targets import GpuTarget


def estimate_us(bytes_moved: int, flops: int, gpu: GpuTarget) -> float:
    """Microseconds of one launch: the slower of moving its bytes at the memory's full bandwidth
    and of its arithmetic at the vector units' peak, plus the launch. A floor, not a prediction:
    it knows no latency, no occupancy and no cache."""
    return max(bytes_moved / gpu.bandwidth, flops / gpu.f32_flops) * 1e6 + gpu.launch_us
