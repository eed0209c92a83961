"""The settings of a run as arguments of fairseq's commands. Imports nothing heavy."""

from __future__ import annotations

from pathlib import Path

from modeling.rankers.neural.checkpoint_folders import BartShape
from modeling.rankers.neural.settings import NeuralSettings, Seq2SeqSettings

PRECISIONS = {"fp32": [], "fp16": ["--fp16"]}  # its --bf16 is for TPUs


def base_arguments(shape: BartShape, settings: NeuralSettings, data: Path, *, is_cpu: bool) -> list[str]:
    """Return what decides the task and the model: training, scoring and counting batches share it."""
    sizes = {
        "max-source-positions": shape.positions,
        "max-target-positions": shape.positions,
        "encoder-embed-dim": shape.width,
        "decoder-embed-dim": shape.width,
        "decoder-output-dim": shape.width,
        "encoder-layers": shape.encoder_layers,
        "decoder-layers": shape.decoder_layers,
        "encoder-attention-heads": shape.encoder_heads,
        "decoder-attention-heads": shape.decoder_heads,
        "encoder-ffn-embed-dim": shape.encoder_inner,
        "decoder-ffn-embed-dim": shape.decoder_inner,
    }
    if isinstance(settings, Seq2SeqSettings):
        task = ["--task", "translation", "--source-lang", "source", "--target-lang", "target"]
        task += ["--criterion", "label_smoothed_cross_entropy", "--label-smoothing", str(settings.label_smoothing)]
        task += ["--ignore-prefix-size", "1"] if settings.score == "corrected" else []  # <s> is given, not learned
    else:
        task = ["--task", "sentence_prediction", "--criterion", "sentence_prediction", "--num-classes", "2"]
        task += ["--init-token", "0", "--add-prev-output-tokens", "--max-positions", str(shape.positions)]
    model = ["--arch", "bart_large", *(part for name, size in sizes.items() for part in (f"--{name}", str(size)))]
    return [str(data), *task, *model, *(["--cpu"] if is_cpu else [])]


def batch_arguments(settings: NeuralSettings, seed: int) -> list[str]:
    """Return what decides the batches. Without the multiple of 1, builds after fairseq 0.12.2 drop sentences."""
    arguments = ["--required-batch-size-multiple", "1", "--seed", str(seed)]
    arguments += ["--batch-size", str(settings.max_sentences)] if settings.max_sentences else []
    return arguments + (["--max-tokens", str(settings.max_tokens)] if settings.max_tokens else [])


def training_arguments(settings: NeuralSettings, *, precision: str, updates: int) -> list[str]:
    """Return the optimizer, its schedule over all updates, dropout and what is saved: one checkpoint, the last."""
    values = {
        "optimizer": "adam",
        "adam-betas": f"({settings.beta1}, {settings.beta2})",
        "adam-eps": settings.epsilon,
        "weight-decay": settings.weight_decay,
        "clip-norm": settings.clip_norm,
        "lr-scheduler": "polynomial_decay",
        "lr": settings.learning_rate,
        "warmup-updates": int(updates * settings.warmup_share),
        "total-num-update": updates,
        "update-freq": settings.accumulate,
        "dropout": settings.dropout,
        "attention-dropout": settings.attention_dropout,
        "distributed-world-size": 1,
        "num-workers": 0,
        "valid-subset": "train",  # fairseq 0.12.2 loads it even where validation is off, and there is no other
        "log-format": "json",
        "log-interval": 1,
    }
    flags = ["--disable-validation", "--no-epoch-checkpoints", *PRECISIONS[precision]]
    return [*(part for name, value in values.items() for part in (f"--{name}", str(value))), *flags]
