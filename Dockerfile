# pairloom with all kernels compiled, so that the first run starts at once. docs/platforms.md says how to use it.
#
# Compiled code fits the CPU of the machine that builds the image. On another kind of CPU it is compiled again, into
# the same folder, and the bytes of the vectors are the same.
FROM python:3.13-slim

RUN useradd --create-home --uid 1000 pairloom
COPY . /src
RUN pip install --no-cache-dir "/src[ann,parquet,sklearn]" && rm -rf /src

USER pairloom
ENV NUMBA_CACHE_DIR=/home/pairloom/.cache/kernels \
    PAIRLOOM_CACHE=/home/pairloom/.cache/pairloom
RUN pairloom compile && pairloom compile --check --quiet

WORKDIR /data
ENTRYPOINT ["pairloom"]
CMD ["help"]
