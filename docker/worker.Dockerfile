# The Celery worker with the compilers, for the CPU and for NVIDIA GPUs alike: Triton brings its
# own assembler, so no CUDA toolkit is needed. To keep CUDA's libraries out of a CPU image, pass
# the address of PyTorch's index of CPU builds as the build argument PIP_EXTRA_INDEX_URL.
FROM python:3.12-slim
WORKDIR /app
ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# The core compiles C; TorchInductor compiles C++.
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml constraints.txt locked.txt pip.txt ./
COPY scripts/lock.py scripts/locked_here.py scripts/
ARG PIP_EXTRA_INDEX_URL=
RUN pip install -r pip.txt && \
    python scripts/locked_here.py here.txt && \
    pip install -c here.txt --group core --group worker
# Further versions that a run may name, of those in toolchains/: "jax-0.9 jax-0.10".
ARG TOOLCHAINS=
COPY scripts/toolchain.py scripts/
COPY toolchains toolchains
RUN for name in $TOOLCHAINS; do python scripts/toolchain.py "$name" || exit 1; done
COPY manage.py ./
COPY compiler_core compiler_core
COPY worker worker
COPY webapp webapp
RUN useradd --create-home fuselab && mkdir var && chown fuselab var
USER fuselab
