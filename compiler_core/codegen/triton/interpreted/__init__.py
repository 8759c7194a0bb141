"""What Triton's interpreter needs to run generated kernels on a CPU, fast enough for tests."""
