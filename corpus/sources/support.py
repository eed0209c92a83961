"""Which compressed files and archives a source reads, told from a file's name."""

from __future__ import annotations

from corpus.sources.archives import is_archive

COMPRESSED = (".gz", ".bz2", ".xz")  # one file, compressed
NOT_READ = (".zst", ".tzst", ".7z", ".rar", ".lz", ".lzma", ".lz4", ".z", ".br")
FOR_LINES = ".jsonl, .jsonl.gz, .jsonl.bz2 or .jsonl.xz"
FOR_DOCUMENTS = ".zip, .tar, .tar.gz, .tar.bz2 or .tar.xz"


def refusal(source: str, name: str) -> str:
    """Return one sentence on why a file of this name cannot be read and what can; "" if it may be readable."""
    lowered = name.lower()
    if not (is_archive(lowered) or lowered.endswith((*COMPRESSED, *NOT_READ))):
        return ""
    if source == "jsonl":
        is_read, kinds = lowered.endswith(COMPRESSED) and not is_archive(lowered), FOR_LINES
    else:
        is_read, kinds = is_archive(lowered), f"a file, or as an archive: {FOR_DOCUMENTS}"
    return "" if is_read else f"{name} cannot be read in this format: unpack it first, and send it as {kinds}."
