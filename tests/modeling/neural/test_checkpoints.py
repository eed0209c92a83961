"""Checkpoint folders: what can be used, what is refused and why, and fairseq's layout converted."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from modeling.rankers.neural import fairseq_layout
from modeling.rankers.neural.bart import from_hugging_face
from modeling.rankers.neural.checkpoint_folders import checkpoints_in, describe_folder
from modeling.rankers.neural.checkpoints import open_model, save_model
from modeling.rankers.neural.machine import Machine
from tests.modeling.neural.torch_values import toy_rows
from tests.modeling.values import refusal

pytestmark = pytest.mark.neural

MACHINE = Machine(torch.device("cpu"), "fp32")
ROWS = toy_rows("train", 8)


def opened(checkpoint, tmp_path, *, has_head=False, seed=1):
    vocabulary = tmp_path / "vocabulary.json"
    return open_model(str(checkpoint), ROWS, MACHINE, has_head=has_head, seed=seed, vocabulary=vocabulary)


@pytest.fixture
def folder(tmp_path) -> Path:
    """A checkpoint folder with a tiny model."""
    save_model(opened("tiny", tmp_path), tmp_path / "models" / "small")
    return tmp_path / "models" / "small"


def test_a_saved_model_is_the_same_when_opened_again(folder, tmp_path):
    first, again = opened("tiny", tmp_path), opened(folder, tmp_path)

    assert torch.equal(first.weights.flat, again.weights.flat)
    assert first.tokenizer.encode("Ida painted").ids == again.tokenizer.encode("Ida painted").ids
    assert again.sha256 == describe_folder(folder).sha256


def test_transformers_reads_our_folder_and_gives_the_same_scores(folder, tmp_path):
    from transformers import BartForConditionalGeneration, PreTrainedTokenizerFast

    from modeling.rankers.neural.kinds import Seq2Seq
    from modeling.rankers.neural.settings import Seq2SeqSettings
    from modeling.rankers.neural.texts import encode_tasks

    theirs = BartForConditionalGeneration.from_pretrained(folder).eval()
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    model = opened(folder, tmp_path)
    tasks = encode_tasks(ROWS[:2], model.tokenizer, longest=512, has_pairs=False)

    for convention, skipped in (("original", 0), ("corrected", 1)):
        scores = Seq2Seq(Seq2SeqSettings(score=convention)).scores(model.bart, tasks)
        for row, row_scores in zip(ROWS[:2], scores, strict=True):
            ids = torch.tensor([[0, *tokenizer.encode(row.text, add_special_tokens=False), 2]])
            for (phrase, _), score in zip(row.candidates, row_scores, strict=True):
                target = torch.tensor([0, *tokenizer.encode(phrase, add_special_tokens=False), 2])
                inputs = torch.cat([torch.tensor([2]), target[:-1]])[None]
                logits = theirs(input_ids=ids, decoder_input_ids=inputs).logits[0].log_softmax(-1)
                by_hand = logits[range(len(target)), target][skipped:].mean()
                assert score == pytest.approx(float(by_hand.detach()), abs=1e-5)


def test_a_random_model_depends_on_the_seed_alone(tmp_path):
    weights, same, other = (opened("tiny", tmp_path, seed=seed).weights.flat for seed in (1, 1, 2))

    assert torch.equal(weights, same)
    assert not torch.equal(weights, other)


def test_shards_are_read_and_a_missing_one_is_named(folder, tmp_path):
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    halves = {"part-1.safetensors": names[:30], "part-2.safetensors": names[30:]}
    for file, part in halves.items():
        save_file({name: tensors[name] for name in part}, folder / file)
    index = {"weight_map": {name: file for file, part in halves.items() for name in part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model.safetensors").unlink()

    assert torch.equal(opened(folder, tmp_path).weights.flat, opened("tiny", tmp_path).weights.flat)
    (folder / "part-2.safetensors").unlink()
    assert describe_folder(folder).problem == "small lacks part-2.safetensors, one of its 2 files of weights"


def test_a_pickle_is_read_as_weights_only(folder, tmp_path):
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")
    assert torch.equal(opened(folder, tmp_path).weights.flat, opened("tiny", tmp_path).weights.flat)

    torch.save({"model.shared.weight": Path("/")}, folder / "pytorch_model.bin")
    assert "cannot be read as weights only" in refusal(lambda: opened(folder, tmp_path))


def change_config(folder: Path, **fields) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | fields))


def cut_weights(folder: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[:-100])


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda f: change_config(f, model_type="t5"), "the architecture is 't5'; only bart can be used"),
        (lambda f: change_config(f, vocab_size=0), "vocab_size: must be a number above zero"),
        (lambda f: (f / "config.json").write_text("{"), "this is not JSON"),
        (lambda f: (f / "tokenizer.json").unlink(), "has no tokenizer.json"),
        (lambda f: (f / "model.safetensors").unlink(), "small has no weights"),
        (cut_weights, "not a whole safetensors file"),
    ],
)
def test_a_folder_that_cannot_be_used_says_so_before_and_at_the_start(folder, tmp_path, damage, sentence):
    damage(folder)

    assert sentence in describe_folder(folder).problem
    assert sentence in refusal(lambda: opened(folder, tmp_path))


def rewrite(folder: Path, change) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t["model.shared.weight"].fill_(float("nan")), "weights that are not finite numbers"),
        (lambda t: t.pop("model.decoder.layers.1.fc1.bias"), "has no tensor model.decoder.layers.1.fc1.bias"),
        (lambda t: t.update({"model.encoder.extra": torch.zeros(1)}), "a tensor that BART does not have"),
        (lambda t: t.update({"lm_head.weight": torch.ones(2048, 64)}), "embeddings are not shared"),
        (lambda t: t.update({"model.shared.weight": torch.zeros(100, 64)}), "the configuration says (2048, 64)"),
    ],
)
def test_weights_that_do_not_fit_are_refused(folder, tmp_path, change, sentence):
    rewrite(folder, change)

    assert sentence in refusal(lambda: opened(folder, tmp_path))


def test_a_tokenizer_with_more_tokens_than_rows_is_refused(folder, tmp_path):
    change_config(folder, vocab_size=100)

    assert "but the weights have rows for 100" in refusal(lambda: opened(folder, tmp_path))


def test_the_class_is_found_by_its_name(tmp_path):
    model = opened("tiny", tmp_path, has_head=True)
    save_model(model, tmp_path / "trained")
    assert opened(tmp_path / "trained", tmp_path, has_head=True).label == 1

    change_config(tmp_path / "trained", id2label={"0": "aggregation", "1": "not_aggregation"})
    assert opened(tmp_path / "trained", tmp_path, has_head=True).label == 0

    change_config(tmp_path / "trained", id2label={"0": "yes", "1": "no"})
    assert "no classification head" in opened(tmp_path / "trained", tmp_path, has_head=True).notes[0]


def test_a_page_can_list_the_folders(folder):
    (folder / "LICENSE").write_text("MIT")

    (info,) = checkpoints_in(folder.parent)

    assert (info.name, info.layout, info.problem, info.licence) == ("small", "hugging-face", "", "LICENSE")
    assert info.parameters == sum(tensor.numel() for tensor in load_file(folder / "model.safetensors").values())
    assert checkpoints_in(folder / "nowhere") == []


# ---- fairseq's layout ---------------------------------------------------------------------------


def fairseq_folder(path: Path, tensors: dict[str, torch.Tensor], *, vocabulary: int = 260) -> Path:
    """Write a folder as fairseq does: byte tokens, one merge, a dictionary that numbers them in another order."""
    from tokenizers.pre_tokenizers import ByteLevel

    alphabet = sorted(ByteLevel.alphabet())
    path.mkdir(parents=True)
    (path / "encoder.json").write_text(json.dumps({token: number for number, token in enumerate([*alphabet, "id"])}))
    (path / "vocab.bpe").write_text("#version: 0.2\ni d\n")
    order = [*reversed(range(len(alphabet) + 1))]
    fill = [f"madeupword{number:04d}" for number in range(vocabulary - 4 - len(order))]
    (path / "dict.txt").write_text("".join(f"{key} 1\n" for key in [*order, *fill]))
    names = argparse.Namespace(encoder_attention_heads=4, decoder_attention_heads=4)
    torch.save({"args": names, "model": tensors}, path / "model.pt")
    return path


def fairseq_tensors(rows: int = 265) -> dict[str, torch.Tensor]:
    """Return the tensors of a small BART under fairseq's names, with what real files have besides."""
    from transformers import BartForSequenceClassification

    from tests.modeling.neural.test_bart import SHAPE, make_pair

    theirs, _ = make_pair(BartForSequenceClassification)
    state = {name: tensor.clone() for name, tensor in theirs.state_dict().items()}
    shared = torch.randn(rows, SHAPE.width)
    tensors = {}
    for name, tensor in state.items():
        if name.startswith("classification_head"):
            tensors[name.replace("classification_head", "classification_heads.sentence_classification_head")] = tensor
        elif "embed_tokens" not in name and "shared" not in name:
            tensors[name.removeprefix("model.")] = tensor
    tensors |= dict.fromkeys(fairseq_layout.TIED, shared)
    tensors |= {"encoder.version": torch.tensor([3.0]), "encoder.embed_positions._float_tensor": torch.zeros(1)}
    return tensors


def test_a_fairseq_folder_is_converted_with_every_tensor_accounted_for(tmp_path):
    tensors = fairseq_tensors()
    source = fairseq_folder(tmp_path / "bart.small", tensors, vocabulary=264)

    report = fairseq_layout.convert(source, tmp_path / "converted", head="sentence_classification_head")

    assert {*report.converted, *report.dropped} == {*tensors}
    assert {*report.dropped} == {"encoder.version", "encoder.embed_positions._float_tensor"}
    model = opened(tmp_path / "converted", tmp_path, has_head=True)
    expected = from_hugging_face(
        {new: tensors[old].float() for old, new in report.converted.items() if not old.startswith("decoder.output")}
    )
    assert all(torch.equal(view, expected[name]) for name, view in model.weights.views.items())
    assert (model.shape.vocabulary, model.shape.encoder_heads, model.shape.positions) == (265, 4, 64)
    ids = model.tokenizer.encode("id", add_special_tokens=False).ids
    assert ids == [4]  # the first line of dict.txt, after the four special tokens
    assert model.tokenizer.token_to_id("<mask>") == 264


def test_a_fairseq_folder_without_the_mask_has_one_row_less(tmp_path):
    source = fairseq_folder(tmp_path / "bart.cnn", fairseq_tensors(264), vocabulary=264)

    report = fairseq_layout.convert(source, tmp_path / "converted")

    assert report.shape.vocabulary == 264
    assert "was not asked for" in report.dropped["classification_heads.sentence_classification_head.dense.bias"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t.update({"quantizer.weight": torch.zeros(1)}), "quantizer.weight is none of BART's"),
        (lambda t: t.update({"encoder.strange": torch.zeros(1)}), "model.encoder.strange is none of BART's"),
        (lambda t: t.pop("encoder.layers.0.fc2.bias"), "model.encoder.layers.0.fc2.bias is missing"),
        (lambda t: t.update({fairseq_layout.TIED[2]: torch.zeros(265, 32)}), "only tied embeddings can be converted"),
    ],
)
def test_a_fairseq_folder_with_other_tensors_is_refused(tmp_path, change, sentence):
    tensors = fairseq_tensors()
    change(tensors)
    source = fairseq_folder(tmp_path / "bart.small", tensors, vocabulary=264)

    assert sentence in refusal(lambda: fairseq_layout.convert(source, tmp_path / "converted"))
    assert not (tmp_path / "converted").exists()


def test_a_fairseq_file_that_holds_more_than_weights_needs_trust(tmp_path):
    source = fairseq_folder(tmp_path / "bart.small", fairseq_tensors(), vocabulary=264)
    loaded = torch.load(source / "model.pt", weights_only=False)
    torch.save(loaded | {"cfg": Path("/")}, source / "model.pt")

    assert "--trust" in refusal(lambda: fairseq_layout.convert(source, tmp_path / "converted"))
    assert fairseq_layout.convert(source, tmp_path / "converted", is_trusted=True).converted
