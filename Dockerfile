# One image for every process; docker-compose.yml says which one a container becomes.
FROM python:3.11-slim-bookworm

RUN useradd --uid 10001 --create-home tesa && mkdir -p /app /data && chown tesa:tesa /app /data
USER tesa
WORKDIR /app

# Dependencies first: they change less often than the code. EXTRAS="bart" makes a GPU worker's image.
COPY --chown=tesa:tesa pyproject.toml constraints.txt ./
COPY --chown=tesa:tesa tesa_site/install.py tesa_site/install.py
ARG EXTRAS=""
RUN python tesa_site/install.py ${EXTRAS} && rm -rf /home/tesa/.cache

COPY --chown=tesa:tesa . .
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 TESA_VAR=/data TESA_HOST=0.0.0.0 TESA_PORT=8000
EXPOSE 8000
CMD ["python", "-m", "tesa_site.processes", "web"]
