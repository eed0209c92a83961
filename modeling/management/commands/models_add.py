from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.template.defaultfilters import filesizeformat

from kernel.management.running import TesaCommand
from modeling.adding_checkpoints import add_checkpoint


class Command(TesaCommand):
    help = (
        "Add a BART checkpoint, from which neural methods can start, on this machine: a Hugging Face folder is checked "
        "and copied, a fairseq folder (model.pt, dict.txt, encoder.json, vocab.bpe) is converted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--name", default="", help="(default: the folder's own)")
        parser.add_argument("--head", default="", help="the classification head of fairseq's file to keep")
        parser.add_argument("--trust", action="store_true", help="unpickle model.pt: only if you trust its author")

    def handle(self, *, folder: Path, name: str, head: str, trust: bool, **options: Any) -> None:
        if not folder.is_dir():
            raise CommandError(f"{folder}: there is no such folder")
        models = Path(settings.MODELS_DIR)
        models.mkdir(parents=True, exist_ok=True)
        checkpoint = add_checkpoint(folder, models, name=name, head=head, is_trusted=trust)
        size = filesizeformat(checkpoint.size).replace("\xa0", " ")
        self.stdout.write(
            f"{checkpoint.name}: {checkpoint.parameters:,} parameters, {size}, SHA-256 {checkpoint.sha256}"
        )
        if checkpoint.origin:
            self.stdout.write(checkpoint.origin)
        if not checkpoint.licence:
            self.stdout.write("it has no licence file: check its terms before you publish what you train with it")
