"""Our packed BART against transformers' padded one: the same states, scores and gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import BartConfig, BartForConditionalGeneration, BartForSequenceClassification

from modeling.rankers.neural.attention import Segments
from modeling.rankers.neural.bart import Bart, Rates, Weights, from_hugging_face, shapes_of, to_hugging_face
from modeling.rankers.neural.checkpoint_folders import BartShape

pytestmark = pytest.mark.neural

SHAPE = BartShape(60, 32, 2, 2, 4, 4, 48, 48, 64)
CPU = torch.device("cpu")
LENGTHS = [pytest.param(lengths, id="-".join(map(str, lengths))) for lengths in ([9, 3, 14], [5], [1, 7], [64, 2])]


def make_pair(kind: type) -> tuple[torch.nn.Module, Bart]:
    """Return transformers' model and ours with the same random weights."""
    torch.manual_seed(0)
    has_head = kind is BartForSequenceClassification
    config = BartConfig(**SHAPE.to_config(), num_labels=2, dropout=0.0, attention_dropout=0.0)
    theirs = kind(config).eval()
    for parameter in theirs.parameters():  # large enough to see a mistake
        parameter.data.normal_(0, 0.2)
    weights = Weights(shapes_of(SHAPE, has_head=has_head), dtype=torch.float32, device=CPU)
    weights.fill(from_hugging_face({name: tensor.detach() for name, tensor in theirs.state_dict().items()}))
    return theirs, Bart(SHAPE, weights)


def random_ids(lengths: list[int], seed: int = 1) -> list[torch.Tensor]:
    generator = np.random.default_rng(seed)
    return [torch.from_numpy(np.append(generator.integers(4, 60, size - 1), 2)) for size in lengths]


def padded(sequences: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    ids = torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True, padding_value=1)
    return ids, (ids != 1).long()


def shifted(ids: torch.Tensor) -> torch.Tensor:
    return torch.cat([torch.tensor([2]), ids[:-1]])


@pytest.mark.parametrize("lengths", LENGTHS)
def test_the_likelihood_of_a_target_is_that_of_transformers(lengths):
    theirs, ours = make_pair(BartForConditionalGeneration)
    sources, targets = random_ids(lengths), random_ids([2 + n % 3 for n in lengths], seed=2)
    ids, mask = padded(sources)
    inputs, _ = padded([shifted(target) for target in targets])

    logits = theirs(input_ids=ids, attention_mask=mask, decoder_input_ids=inputs).logits
    read, segments = Segments.of(lengths, CPU), Segments.of([len(t) for t in targets], CPU)
    memory = ours.encode(torch.cat(sources), read, Rates())
    states = ours.decode(torch.cat([shifted(t) for t in targets]), segments, memory, read, segments, Rates())

    expected = torch.cat([logits[row, : len(target)] for row, target in enumerate(targets)])
    assert torch.allclose(ours.logits(states), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("lengths", LENGTHS)
def test_the_classes_and_every_gradient_are_those_of_transformers(lengths):
    theirs, ours = make_pair(BartForSequenceClassification)
    ours.weights.learn()
    sources, classes = random_ids(lengths), torch.tensor([number % 2 for number in range(len(lengths))])
    ids, mask = padded(sources)

    expected = theirs(input_ids=ids, attention_mask=mask).logits
    segments = Segments.of(lengths, CPU)
    memory = ours.encode(torch.cat(sources), segments, Rates())
    last = ours.decode(
        torch.cat([shifted(s) for s in sources]), segments, memory, segments, segments, Rates(), only_last=True
    )
    logits = ours.classify(last)
    torch.nn.functional.cross_entropy(expected, classes).backward()
    torch.nn.functional.cross_entropy(logits, classes).backward()

    assert torch.allclose(logits, expected, atol=1e-5, rtol=1e-5)
    gradients = from_hugging_face({name: p.grad for name, p in theirs.named_parameters(remove_duplicate=False)})
    for name, view in ours.weights.views.items():
        wanted = gradients[name]
        allowed = 1e-5 if "proj.bias" in name else 1e-4 * float(wanted.norm()) + 1e-7  # k_proj.bias is zero in theory
        assert float((view.grad - wanted).norm()) <= allowed, name


def test_a_text_is_read_by_all_its_candidates_as_by_each_alone():
    _, ours = make_pair(BartForConditionalGeneration)
    source, targets = random_ids([11])[0], random_ids([3, 5, 2], seed=4)
    read, sizes = Segments.of([11], CPU), [len(target) for target in targets]
    memory = ours.encode(source, read, Rates())

    together = ours.decode(
        torch.cat(targets), Segments.of(sizes, CPU), memory, read, Segments.of([sum(sizes)], CPU), Rates()
    )

    alone = [
        ours.decode(target, Segments.of([len(target)], CPU), memory, read, Segments.of([len(target)], CPU), Rates())
        for target in targets
    ]
    assert torch.allclose(together, torch.cat(alone), atol=1e-6)


def test_weights_go_to_the_hugging_face_layout_and_back():
    theirs, ours = make_pair(BartForSequenceClassification)

    saved = to_hugging_face(ours.weights)

    state = theirs.state_dict()
    assert set(state) - set(saved) == {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}
    assert all(torch.equal(state[name], tensor) for name, tensor in saved.items())


def test_padding_in_a_sequence_of_its_own_changes_nothing():
    results = []
    for tail in (0, 9):
        _, ours = make_pair(BartForSequenceClassification)
        ours.weights.learn()
        sources = random_ids([9, 3, 14]) + [torch.ones(tail, dtype=torch.int64)] * bool(tail)
        segments = Segments.of([len(source) for source in sources], CPU)
        ids, inputs = torch.cat(sources), torch.cat([shifted(source) for source in sources])
        memory = ours.encode(ids, segments, Rates())
        states = ours.decode(inputs, segments, memory, segments, segments, Rates(), only_last=True)
        loss = torch.nn.functional.cross_entropy(ours.classify(states)[:3], torch.tensor([0, 1, 1]))
        results.append([loss.detach(), *torch.autograd.grad(loss, [*ours.weights.views.values()])])

    for plain, padded_too in zip(*results, strict=True):
        assert torch.allclose(plain, padded_too, atol=1e-5)
