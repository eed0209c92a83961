"""Runs in fairseq's interpreter, by its path, and imports nothing of ours. Without a job it prints what is installed.

`fairseq_script.py job.json` does one job on a BART that is built from the arguments of fairseq-train: it counts the
batches of an epoch, scores or generates phrases for the tasks of a file, or computes logits. Results are a line each.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import fairseq
import torch
from fairseq import options, tasks
from fairseq.data.data_utils import collate_tokens
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.ngram_repeat_block import NGramRepeatBlock
from fairseq.sequence_scorer import SequenceScorer

START, PAD, END = 0, 1, 2
HEAD = "sentence_classification_head"
ROWS = 8  # pairs of text and candidate in one pass of the classifier


def facts() -> dict[str, Any]:
    """Return versions and device."""
    is_cuda = torch.cuda.is_available()
    return {
        "device": torch.cuda.get_device_name() if is_cuda else f"CPU ({platform.machine()})",
        "is_cuda": is_cuda,
        "memory": torch.cuda.get_device_properties(0).total_memory if is_cuda else 0,
        "versions": {"fairseq": fairseq.__version__, "torch": torch.__version__, "cuda": torch.version.cuda or ""},
    }


class NoRepeats(NGramRepeatBlock):  # type: ignore[misc]
    """fairseq's rule without its fault: in Python it looks at the padding after the tokens, and forbids nothing."""

    def forward(self, tokens: torch.Tensor, lprobs: torch.Tensor, bsz: int, beam_size: int, step: int) -> torch.Tensor:
        return self._no_repeat_ngram(tokens[:, : step + 1], lprobs, bsz, beam_size, step)


def read_checkpoint(path: str, *, is_trusted: bool) -> dict[str, Any]:
    """Return what is in a checkpoint. Nothing in it is run unless `is_trusted`: then it is unpickled."""
    with torch.serialization.safe_globals([Namespace]):  # old checkpoints keep their arguments in one
        return dict(torch.load(path, map_location="cpu", weights_only=not is_trusted))


class FairseqModel:
    """The task and model of a job."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        parsed = options.parse_args_and_arch(options.get_training_parser(), job["arguments"])
        self.config = convert_namespace_to_omegaconf(parsed)
        self.task = tasks.setup_task(self.config.task)

    def count(self) -> list[dict[str, Any]]:
        """Return the number of batches of an epoch, as fairseq-train makes them."""
        self.task.load_dataset("train")
        batches = self.task.get_batch_iterator(
            self.task.dataset("train"),
            max_tokens=self.config.dataset.max_tokens,
            max_sentences=self.config.dataset.batch_size,
            max_positions=self.task.max_positions(),
            required_batch_size_multiple=self.config.dataset.required_batch_size_multiple,
            seed=self.config.common.seed,
        )
        return [{"batches": len(batches.frozen_batches), "sentences": sum(map(len, batches.frozen_batches))}]

    def load(self) -> None:
        """Build the model with the weights of a checkpoint, in fp32, and save them where the job says so."""
        self.model = self.task.build_model(self.config.model)
        tensors = read_checkpoint(self.job["checkpoint"], is_trusted=self.job["is_trusted"])["model"]
        kept = {name: tensor for name, tensor in tensors.items() if not name.endswith("._float_tensor")}
        self.model.load_state_dict(kept, strict=True, model_cfg=self.config.model)
        self.device = torch.device("cuda" if torch.cuda.is_available() and not self.config.common.cpu else "cpu")
        self.model.float().eval().to(self.device)
        if self.job.get("save"):
            torch.save({name: tensor.cpu() for name, tensor in self.model.state_dict().items()}, self.job["save"])

    def tokens(self, rows: list[list[int]]) -> torch.Tensor:
        padded = collate_tokens([torch.tensor(row) for row in rows], PAD, END, left_pad=False)
        return padded.to(self.device)

    def score(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the mean log-probability of each candidate, or its probability to be an aggregation."""
        if self.job["label"] is not None:
            return {"scores": self._probabilities(row)}
        source = self.tokens([[START, *row["text"], END]] * len(row["candidates"]))
        targets = [[START, *ids, END] for ids in row["candidates"]]
        sample = {
            "net_input": {
                "src_tokens": source,
                "src_lengths": torch.full((len(source),), source.shape[1], device=self.device),
                "prev_output_tokens": self.tokens([[END, *ids[:-1]] for ids in targets]),
            },
            "target": self.tokens(targets),
        }
        scored = SequenceScorer(self.task.target_dictionary).generate([self.model], sample)
        first = 0 if self.job["counts_start"] else 1
        return {"scores": [hypotheses[0]["positional_scores"][first:].double().mean().item() for hypotheses in scored]}

    def _probabilities(self, row: dict[str, Any]) -> list[float]:
        sequences = [[START, *row["text"], END, *ids, END] for ids in row["candidates"]]
        probabilities: list[float] = []
        for at in range(0, len(sequences), ROWS):
            chunk = sequences[at : at + ROWS]
            logits, _ = self.model(
                src_tokens=self.tokens(chunk),
                src_lengths=torch.tensor([len(ids) for ids in chunk], device=self.device),
                prev_output_tokens=self.tokens([[END, *ids[:-1]] for ids in chunk]),
                features_only=True,
                classification_head_name=HEAD,
            )
            probabilities += logits.softmax(-1)[:, self.job["label"]].double().tolist()
        return probabilities

    def generate(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return token numbers and score of each hypothesis, the best first."""
        asked = self.job["options"]
        generator = self.task.build_generator([self.model], Namespace(**asked))
        if generator.repeat_ngram_blocker is not None:
            generator.repeat_ngram_blocker = NoRepeats(asked["no_repeat_ngram_size"], use_extension=False)
        source = self.tokens([[START, *row["text"], END]])
        sample = {"net_input": {"src_tokens": source, "src_lengths": torch.tensor([source.shape[1]]).to(source)}}
        prefix = torch.tensor([[START]], device=self.device)
        first, hypotheses = 0 if self.job["counts_start"] else 1, []
        for hypothesis in generator.generate([self.model], sample, prefix_tokens=prefix)[0]:
            scores = hypothesis["positional_scores"][first:].double()
            hypotheses.append(
                (hypothesis["tokens"][1:-1].tolist(), (scores.sum() / len(scores) ** asked["lenpen"]).item())
            )
        return {"hypotheses": sorted(hypotheses, key=lambda pair: -pair[1])}

    def logits(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the logits that follow each token of the text when the decoder reads it too."""
        ids = [START, *row["text"], END]
        source = self.tokens([ids])
        logits, _ = self.model(source, torch.tensor([len(ids)]).to(source), self.tokens([[END, *ids[:-1]]]))
        return {"logits": logits[0].double().tolist()}


def work(job: dict[str, Any]) -> None:
    worker = FairseqModel(job)
    if job["do"] == "count":
        results = worker.count()
    else:
        worker.load()
        rows = [json.loads(line) for line in Path(job["tasks"]).read_text(encoding="utf-8").splitlines()]
        results, reported_at = [], time.monotonic()
        with torch.no_grad():
            for row in rows:
                results.append(getattr(worker, job["do"])(row))
                if time.monotonic() - reported_at > 1:
                    reported_at = time.monotonic()
                    print(json.dumps({"done": len(results)}), flush=True)
    Path(job["results"]).write_text("".join(json.dumps(row) + "\n" for row in results), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    else:
        print(json.dumps(facts()))
