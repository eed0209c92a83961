from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.linking.projection import projected_text
from corpus.items.texts import TEXT
from corpus.models import Sample
from kernel.errors import InvalidInput
from kernel.management.running import TesaCommand, row_named
from kernel.values import counted

MOST_SHOWN = 20


class Command(TesaCommand):
    help = "Carry the mentions of texts over to their twins, such as recognized speech, as a file of texts to import."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("sample", help="name of a sample of texts with mentions and twins")
        parser.add_argument("--out", type=Path, required=True, help="the JSON lines to write")
        parser.add_argument("--source", default="ASR", help="source of the new texts (default: ASR)")

    def handle(self, *, sample: str, out: Path, source: str, **options: Any) -> None:
        row = row_named(Sample.objects.all(), sample, "sample")
        if row.item_kind != TEXT.name:
            raise InvalidInput(f"“{row}” holds {row.kind.plural}: choose a sample of texts", field="sample")
        texts, kept, lost = 0, 0, list[str]()
        try:
            with out.open("x", encoding="utf-8") as file:
                for value in row.members.order_by("position").values_list("value", flat=True).iterator(500):
                    text = TEXT.thaw(value)
                    if not text.twin:
                        continue
                    written, without = projected_text(text, source)
                    file.write(json.dumps(written, ensure_ascii=False) + "\n")
                    texts += 1
                    kept += len(text.mentions) - len(without)
                    lost += [f"{TEXT.title(text)}: {text.text[own.start : own.end]}" for own in without]
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise InvalidInput(f"the file cannot be written ({why})", field=out.name) from error
        if not texts:
            out.unlink()
            raise InvalidInput(f"no text of “{row}” has a twin: import the sample with twins", field="sample")
        self.stdout.write(f"{counted(texts, 'text')} with {counted(kept, 'mention')} written to {out.name}.")
        if lost:
            self.stderr.write(f"{counted(len(lost), 'mention')} without an image in the twin:")
        for words in lost[:MOST_SHOWN]:
            self.stderr.write(f"  {words}")
        if len(lost) > MOST_SHOWN:
            self.stderr.write(f"  and {len(lost) - MOST_SHOWN:,} more")
