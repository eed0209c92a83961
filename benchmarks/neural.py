"""Speed of the neural rankers on random weights: training, scoring 430 tasks with 24 candidates, generating for them.

    python -m benchmarks.neural                                  # tiny, on any machine
    python -m benchmarks.neural --model random-bart-large --check

Each training is timed beside transformers' own step on the same batches (`neural_peer.py`), so its gain is a ratio.
Lengths are lognormal (median 330 tokens, sigma .4, from 80 to 1,024). Utilisation is 6 × parameters without embeddings
× tokens per second / 989e12. Weights that are not finite at the end void a figure, and the program says so.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from benchmarks.neural_peer import compare
from modeling.rankers.neural.attention import Segments
from modeling.rankers.neural.bart import Bart, Rates, Weights, from_hugging_face, shapes_of
from modeling.rankers.neural.checkpoint_folders import PRESETS, BartShape
from modeling.rankers.neural.checkpoints import Model
from modeling.rankers.neural.generating import Options, generate
from modeling.rankers.neural.kinds import make_kind
from modeling.rankers.neural.machine import Machine
from modeling.rankers.neural.optimizer import Optimizer
from modeling.rankers.neural.scoring import score_tasks
from modeling.rankers.neural.settings import CrossEncoderSettings, Seq2SeqSettings
from modeling.rankers.neural.texts import TaskIds
from modeling.rankers.neural.training import Training
from modeling.rankers.neural.work_folder import WorkFolder

EXAMPLES, EPOCHS, PEAK = 20_592, 6, 989e12
WARM_UP = 20


def lengths(count: int, most: int, seed: int = 1) -> list[int]:
    values = np.exp(np.random.default_rng(seed).normal(math.log(330), 0.4, count))
    return np.clip(values, 80, 1024).clip(max=most).astype(int).tolist()


def make_tasks(count: int, candidates: int, shape: BartShape, *, part: str = "train") -> list[TaskIds]:
    generator = np.random.default_rng(2)

    def ids(size: int) -> np.ndarray:
        return generator.integers(4, shape.vocabulary, size)

    tasks = []
    for number, length in enumerate(lengths(count, shape.positions)):
        phrases = tuple(ids(int(size)) for size in generator.integers(2, 7, candidates))
        text = ids(length - 3 - max(map(len, phrases)))
        labels = tuple(int(place == number % candidates or candidates == 1) for place in range(candidates))
        tasks.append(TaskIds(part, str(number), text, phrases, labels, 0))
    return tasks


def make_model(name: str, machine: Machine, *, has_head: bool) -> Model:
    shape = PRESETS[name]
    weights = Weights(shapes_of(shape, has_head=has_head), dtype=machine.dtype, device=machine.device)
    weights.start_at_random(1)
    return Model(shape, weights, None, 1 if has_head else None)


def train(name: str, machine: Machine, steps: int, **fields) -> str:
    """Return one line of the table: updates of a training with these settings, after a warm-up."""
    is_generative = "max_tokens" in fields and "max_sentences" not in fields
    settings = Seq2SeqSettings(**fields) if is_generative else CrossEncoderSettings(**fields)
    started = time.perf_counter()
    model = make_model(name, machine, has_head=not is_generative)
    tasks = make_tasks(2321 if is_generative else EXAMPLES, 1, model.shape)
    with tempfile.TemporaryDirectory() as folder:
        work = WorkFolder(Path(folder))
        training = Training(model, make_kind(settings, 1), settings, machine, work, tasks, [], seed=1)
        training.started = training.reported = training.saved = time.monotonic()
        training.before = 0.0
        training._update()
        machine.wait()
        setup = time.perf_counter() - started
        for _ in range(WARM_UP - 1):
            training._update()
        training._read_losses()
        machine.wait()
        if machine.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        before, done = time.perf_counter(), []
        for _ in range(steps):
            training._update()
            done.append(training.updates[(training.position.update - 1) % training.per_epoch])
        training._read_losses()
        machine.wait()
        seconds = time.perf_counter() - before
    memory = machine.peak_memory()
    tokens = sum(training.examples[number].length for batches in done for batch in batches for number in batch)
    is_finite = bool(torch.isfinite(model.weights.flat).all())
    size = sum(
        math.prod(shape) for key, shape in model.weights.shapes.items() if "embed" not in key and "shared" not in key
    )
    share = 6 * size * tokens / seconds / PEAK
    minutes = seconds / steps * training.per_epoch * EPOCHS / 60
    peer = compare(training, machine, done, seconds / steps)
    del training, model
    return (
        f"{name}, {fields}: {1000 * seconds / steps:.1f} ms an update, {minutes:.2f} min for {EPOCHS} epochs, "
        f"{tokens / seconds:,.0f} tokens/s, {100 * share:.1f} % of peak, {memory / 1e9:.1f} GB, "
        f"first update after {setup:.0f} s, weights {'finite' if is_finite else 'NOT FINITE: void'}; "
        f"{peer}"
    )


def score(name: str, machine: Machine, count: int, *, is_generative: bool) -> str:
    settings = Seq2SeqSettings() if is_generative else CrossEncoderSettings()
    model = make_model(name, machine, has_head=not is_generative)
    tasks, kind = make_tasks(count, 24, model.shape, part="test"), make_kind(settings, 1)
    score_tasks(model, kind, tasks[:20], machine)
    best = math.inf
    for _ in range(3 if machine.device.type == "cuda" else 1):
        machine.wait()
        before = time.perf_counter()
        scores = score_tasks(model, kind, tasks, machine)
        best = min(best, time.perf_counter() - before)
    is_finite = all(math.isfinite(value) for row in scores for value in row)
    label = "generative" if is_generative else "discriminative"
    return f"{name} score {count} x 24, {label}: {best:.2f} s, scores {'finite' if is_finite else 'NOT FINITE: void'}"


def write_phrases(name: str, machine: Machine, count: int) -> str:
    """Return one line of the table: beam search of 10 hypotheses with 16 tokens, encoder and n-gram rule included."""
    model, options = make_model(name, machine, has_head=False), Options(longest=16, shortest=16)
    texts = [task.text for task in make_tasks(count, 1, model.shape, part="test")]
    generate(model.bart, texts, options)
    best = math.inf
    for _ in range(3 if machine.device.type == "cuda" else 1):
        machine.wait()
        before = time.perf_counter()
        hypotheses = generate(model.bart, texts, options)
        best = min(best, time.perf_counter() - before)
    is_whole = all(len(row) == options.beams and math.isfinite(row[-1].score) for row in hypotheses)
    memory = f"{machine.peak_memory() / 1e9:.1f} GB, " if machine.device.type == "cuda" else ""
    return (
        f"{name} generate {count} x {options.longest} tokens, beam {options.beams}: {best:.2f} s, {memory}"
        f"{'every text has all hypotheses' if is_whole else 'HYPOTHESES ARE MISSING: void'}"
    )


def check(machine: Machine) -> str:
    """Hold logits and gradients of the packed pass in this precision against transformers' model in fp32."""
    from transformers import BartConfig, BartForSequenceClassification

    torch.manual_seed(0)
    shape = BartShape(1000, 256, 3, 3, 4, 4, 512, 512, 1024)
    config = BartConfig(**shape.to_config(), num_labels=2, dropout=0.0, attention_dropout=0.0)
    theirs = BartForSequenceClassification(config).to(machine.device).eval()
    weights = Weights(shapes_of(shape, has_head=True), dtype=machine.dtype, device=machine.device)
    weights.fill(from_hugging_face({name: tensor.detach() for name, tensor in theirs.state_dict().items()}))
    weights.learn()
    sizes = [1024, 2, 330, 77, 512]
    sequences = [torch.cat([torch.randint(4, 1000, (size - 1,)), torch.tensor([2])]) for size in sizes]
    padded = torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True, padding_value=1).to(machine.device)
    classes = torch.tensor([0, 1, 1, 0, 1], device=machine.device)
    wanted = theirs(input_ids=padded, attention_mask=(padded != 1).long()).logits
    segments, bart = Segments.of(sizes, machine.device), Bart(shape, weights)
    shifted = [torch.cat([torch.tensor([2]), ids[:-1]]) for ids in sequences]
    memory = bart.encode(torch.cat(sequences).to(machine.device), segments, Rates())
    inputs = torch.cat(shifted).to(machine.device)
    logits = bart.classify(bart.decode(inputs, segments, memory, segments, segments, Rates(), only_last=True))
    torch.nn.functional.cross_entropy(wanted, classes).backward()
    torch.nn.functional.cross_entropy(logits, classes).backward()
    gradients = from_hugging_face({name: p.grad for name, p in theirs.named_parameters(remove_duplicate=False)})
    worst = max(
        (float((view.grad.float() - gradients[name]).norm() / gradients[name].norm()), name)
        for name, view in weights.views.items()
        if float(gradients[name].norm()) > 1e-4
    )
    difference = float(((logits - wanted).norm() / wanted.norm()).detach())
    return f"against transformers in fp32: logits {difference:.1e}, worst gradient {worst[0]:.1e} ({worst[1]})"


def check_graphs(machine: Machine) -> str:
    """Hold loss and gradients of replayed graphs against the same batches without a graph; dropout is off."""
    cross = CrossEncoderSettings(max_sentences=4, max_tokens=0, dropout=0.0, attention_dropout=0.0, accumulate=2)
    tokens = Seq2SeqSettings(dropout=0.0, attention_dropout=0.0)
    return "; ".join(_graphs_against_passes(machine, settings) for settings in (cross, tokens))


def check_updates(machine: Machine) -> str:
    """Hold 12 updates by our kernel against torch's own, with the same gradients from the same weights."""
    if machine.device.type != "cuda":
        return "no kernel of ours on this machine"
    settings, results = CrossEncoderSettings(), []
    for is_direct in (True, False):
        weights = make_model("random-bart-base", machine, has_head=True).weights
        optimizer = Optimizer(weights, settings, is_scaled=False, is_direct=is_direct)
        generator = torch.Generator(machine.device).manual_seed(1)
        for update in range(12):
            loss = torch.zeros((), device=machine.device)
            for view in weights.views.values():
                loss = loss + (view * torch.randn(view.shape, generator=generator, device=machine.device)).sum()
            optimizer.record(loss)
            kept = optimizer.recorded  # a graph keeps the memory of its gradients, this loop has to
            optimizer.take(optimizer.places())
            optimizer.step(1e-3 / (1 + update))
            machine.wait()
            del kept
        results += [optimizer.master, weights.flat.float()]
    worst = [float((ours - theirs).abs().max()) for ours, theirs in zip(results[:2], results[2:], strict=True)]
    return (
        f"12 updates by our kernel against torch's: masters differ by {worst[0]:.1e}, weights by {worst[1]:.1e} at most"
    )


def _graphs_against_passes(machine: Machine, settings: CrossEncoderSettings | Seq2SeqSettings) -> str:
    is_generative = isinstance(settings, Seq2SeqSettings)
    model = make_model("random-bart-base", machine, has_head=not is_generative)
    tasks, kind = make_tasks(16, 1, model.shape), make_kind(settings, 1)
    with tempfile.TemporaryDirectory() as folder:
        training = Training(model, kind, settings, machine, WorkFolder(Path(folder)), tasks, [], seed=1)
    if training.graphs is None:
        return "no graphs on this machine"
    worst = 0.0
    for batch in training.batches * 2:
        pairs = [(tasks[number], (0,)) for number in batch]
        loss = training._backward(pairs, 4)
        gradients = training.optimizer.gradients.clone()
        training.optimizer.is_empty = True
        plain = kind.loss(model.bart, pairs, training.rates) / 4
        training.optimizer.backward(plain)
        difference = float((gradients - training.optimizer.gradients).norm() / training.optimizer.gradients.norm())
        worst = max(worst, difference, abs(float(loss) - float(plain.detach())))
        training.optimizer.is_empty = True
    label, many = "generative" if is_generative else "discriminative", len(training.graphs.captured)
    return f"{label} graphs against the same passes without: {worst:.1e} at most, {many} graphs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="tiny", choices=PRESETS)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--steps", type=int, default=0, help="timed updates; 500 on a GPU, 20 elsewhere")
    parser.add_argument("--tasks", type=int, default=0, help="tasks to score; 430 on a GPU, 8 elsewhere")
    parser.add_argument("--generate", action="store_true", help="only generate phrases")
    parser.add_argument("--check", action="store_true", help="also compare with transformers' model")
    options = parser.parse_args()
    machine = Machine.choose(options.device, options.precision)
    is_cuda = machine.device.type == "cuda"
    steps, count = options.steps or (500 if is_cuda else 20), options.tasks or (430 if is_cuda else 8)
    print(machine.facts(), f"threads {os.environ.get('OMP_NUM_THREADS', '')}", flush=True)
    if options.check:
        print(check(machine), check_graphs(machine), check_updates(machine), sep="\n", flush=True)
    if options.generate:
        print(write_phrases(options.model, machine, count), flush=True)
        return
    for fields in ({"max_sentences": 8, "max_tokens": 0}, {"max_sentences": 32, "max_tokens": 0}, {"max_tokens": 1024}):
        print(train(options.model, machine, steps, **fields), flush=True)
    for is_generative in (True, False):
        print(score(options.model, machine, count, is_generative=is_generative), flush=True)
    print(write_phrases(options.model, machine, count), flush=True)


if __name__ == "__main__":
    main()
