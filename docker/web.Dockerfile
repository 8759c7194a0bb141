# The page and its API. No torch and no jax: the compiler is the worker's.
FROM python:3.12-slim AS base
WORKDIR /app
ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY pyproject.toml locked.txt pip.txt ./
RUN pip install -r pip.txt

FROM base AS page
RUN pip install -c locked.txt --group page
COPY frontend frontend
RUN python frontend/build.py

FROM base
RUN pip install -c locked.txt --group web
COPY manage.py ./
COPY compiler_core/__init__.py compiler_core/
COPY compiler_core/wording.py compiler_core/
COPY compiler_core/inputs compiler_core/inputs
COPY compiler_core/report compiler_core/report
COPY webapp webapp
COPY docs docs
COPY --from=page /app/webapp/static/app webapp/static/app
RUN useradd --create-home fuselab && mkdir var && chown fuselab var
USER fuselab
EXPOSE 8000
