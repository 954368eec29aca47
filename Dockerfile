# The image holds the pinned packages and the project, and runs as nobody in particular on a read-only file system.
FROM python:3.11-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src

# The requirements alone first: this layer is built again only when they change.
COPY requirements.txt requirements-build.txt ./
RUN python -m venv /opt/duwen \
 && /opt/duwen/bin/python -m pip install --require-hashes -r requirements.txt \
 && python -m pip install --require-hashes -r requirements-build.txt

COPY pyproject.toml README.md LICENSE ./
COPY bot ./bot
COPY extractors ./extractors
COPY prompts ./prompts
RUN python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /opt/duwen/bin/python -m pip install --no-deps --no-index /wheels/*.whl

FROM python:3.11-slim
COPY --from=build /opt/duwen /opt/duwen
COPY prompts /app/prompts
RUN install -d -o 10001 -g 10001 -m 0700 /data
ENV PATH=/opt/duwen/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    DUWEN__DATA_DIR=/data \
    DUWEN__PROMPTS__DIRECTORY=/app/prompts \
    DUWEN__WEBHOOK__HOST=0.0.0.0
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["duwen", "run"]
