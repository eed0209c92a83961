"""Typed makers: the smallest row that makes sense, with every field open to be overridden."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from annotation.models import Annotation, Campaign, Participation, Release, ReleaseItem, Worker
from annotation.releasing.hashing import ReleaseHash, digest_of
from annotation.releasing.recipe import make_recipe
from annotation.releasing.statistics import Statistics
from annotation.services import assigning, campaigns, joining, submitting
from annotation.task_types.aggregation.type import AGGREGATION
from corpus.frozen import FrozenInstance, instance_key
from corpus.items.texts import TEXT
from corpus.models import Article, Background, Corpus, Entity, EntityCorrection, Instance, Sample, SampledInstance
from kernel.clock import now
from kernel.models import Job, User, WorkerHeartbeat
from kernel.progress import Silent
from kernel.roles import Role
from kernel.services import people
from kernel.values import content_hash
from modeling.grids import Grid, parse_entries
from modeling.models import Experiment, Run, Split, Trial
from modeling.services import experiments, running, splits
from modeling.trials import question_of
from tests.corpus.frozen_instances import make_frozen
from tests.synthetic.release import synthetic_release

PASSWORD = "correct horse battery staple"
NO_ROW = 2_000_000_000  # no key reaches it; a small number may be a row, as PostgreSQL goes on counting between tests


def make_user(username: str = "ben", role: Role = Role.RESEARCHER, **fields: Any) -> User:
    return people.create_user(username, role=role, password=PASSWORD, **fields)


def make_corpus(name: str = "News", **fields: Any) -> Corpus:
    return Corpus.objects.create(**{"name": name, "source": "jsonl", "path": "/nowhere/news.jsonl"} | fields)


def make_article(corpus: Corpus | None = None, **fields: Any) -> Article:
    source_id = fields.pop("source_id", f"a{Article.objects.count()}")
    default = {"title": "A title", "paragraphs": ["A first line.", "Another."], "content_hash": source_id}
    return Article.objects.create(corpus=corpus or make_corpus(), source_id=source_id, **default | fields)


def make_entity(corpus: Corpus, name: str = "Ida Lind", **fields: Any) -> Entity:
    return Entity.objects.create(corpus=corpus, name=name, **{"key": name, "type": "person"} | fields)


def make_correction(corpus: Corpus, **fields: Any) -> EntityCorrection:
    default = {"kind": "rename", "names": ["ida lind"], "value": "Ida Berg", "entity_name": "Ida Lind"}
    more = {"entity_type": "person", "reason": "a test"}
    return EntityCorrection.objects.create(corpus=corpus, **default | more | fields)


def make_background(entity: Entity, **fields: Any) -> Background:
    default = {"status": "exact", "title": entity.name, "text": f"{entity.name} is known.", "source": "manual"}
    return Background.objects.create(entity=entity, **default | fields)


def make_instance(corpus: Corpus, *names: str, article: Article | None = None, **fields: Any) -> Instance:
    """Return an instance whose entities, made where they are missing, stand side by side in a passage of its own."""
    names = names or ("Ida Lind", "Karl Moe")
    article = article or make_article(corpus)
    for name in names:
        if not Entity.objects.filter(corpus=corpus, key=name).exists():
            make_entity(corpus, name)
    context = f"{', '.join(names)} met in {article.source_id}."
    places = [(number, context.index(name), len(name)) for number, name in enumerate(names)]
    default: dict[str, Any] = {
        "group": content_hash(article.source_id),
        "type": "person",
        "size": len(names),
        "entity_keys": list(names),
        "entity_names": list(names),
        "names_text": "\n".join(names),
        "kind": "content",
        "title": article.title,
        "context": context,
        "mentions": [{"entity": n, "start": start, "end": start + length} for n, start, length in places],
    }
    values = default | fields
    values["key"] = instance_key(
        article_id=article.source_id,
        entity_type=values["type"],
        entities=names,
        kind=values["kind"],
        title=values["title"],
        context=context,
        mentions=[(n, start, start + length) for n, start, length in places],
    )
    return Instance.objects.create(corpus=corpus, article=article, **values)


def make_sample_of(name: str, *values: FrozenInstance, **fields: Any) -> Sample:
    """Return a sample that holds these instances."""
    default = {"size": len(values), "content_hash": content_hash(name), "seed": None}
    sample = Sample.objects.create(name=name, **default | fields)
    SampledInstance.objects.bulk_create(
        SampledInstance(
            sample=sample, position=n, key=v.key, group=v.group, type=v.entity_type, size=v.size, value=v.to_json()
        )
        for n, v in enumerate(values)
    )
    return sample


def make_texts(name: str = "Texts", size: int = 3, text: str = "It rained for {} days.") -> Sample:
    """Return a sample of `size` plain texts, each a group of its own."""
    texts = [TEXT.from_row({"text": text.format(number + 2), "title": f"Rain {number}"}) for number in range(size)]
    sample = Sample.objects.create(name=name, item_kind="text", size=size, content_hash=content_hash(name))
    SampledInstance.objects.bulk_create(
        SampledInstance(sample=sample, position=n, key=v.key, group=v.group, type="text", size=0, value=v.to_json())
        for n, v in enumerate(texts)
    )
    return sample


def make_job(**fields: Any) -> Job:
    return Job.objects.create(**{"kind": "check_worker", "queue": "default", "parameters": {"seconds": 1}} | fields)


def make_running_job(**fields: Any) -> Job:
    running = {"status": "running", "worker": "somewhere:1", "started_at": now(), "heartbeat_at": now()}
    return make_job(**running | fields)


def make_worker(name: str = "somewhere:1", queues: tuple[str, ...] = ("default",), **fields: Any) -> WorkerHeartbeat:
    return WorkerHeartbeat.objects.create(name=name, queues=list(queues), **fields)


def make_trial(run: Run) -> Trial:
    """Return a question that nobody has answered yet."""
    typed = {"entities": "Ida Lind\nOlaf Brandt", "backgrounds": "", "title": "", "text": "They met."}
    return Trial.objects.create(run=run, question=question_of("person", **typed, candidates="men").to_json())


def make_sample(name: str = "Pilot", size: int = 3, **fields: Any) -> Sample:
    """Return a sample of `size` instances, each of its own article and overlap group."""
    values = [make_frozen(article_id=f"{name} {number}", group=f"{name} {number}") for number in range(size)]
    return make_sample_of(name, *values, **fields)


def make_campaign(
    name: str = "Phrases", *, sample: Sample | None = None, size: int = 3, is_running: bool = True, **fields: Any
) -> Campaign:
    """Return a campaign with its tasks made, open unless told otherwise."""
    sample = sample or make_sample(f"Sample of {name}", size)
    plan = campaigns.CampaignPlan(name=name, sample=sample, **{"contact": "team@tesa.invalid"} | fields)
    campaign = campaigns.create_campaign(plan, by=None)
    for _ in campaigns.make_tasks(campaign):
        pass
    return campaigns.start(campaign.pk, by=None) if is_running else campaign


def make_participation(campaign: Campaign, name: str = "cleo", *, is_ready: bool = True) -> Participation:
    """Return a person in the campaign: past consent and instructions, unless told otherwise."""
    worker, _ = Worker.objects.get_or_create(provider="local", external_id=name)
    person = joining.join(campaign, worker)
    if is_ready:
        joining.consent(person.secret, signals=True)
        joining.read_instructions(person.secret)
    return Participation.objects.select_related("campaign").get(pk=person.pk)


def make_answer(person: Participation, phrase: str = "botanists", **form: str) -> Annotation:
    """Let this person answer their next task."""
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    return submitting.submit(person.secret, turn.pk, {"phrase_1": phrase, **form}).annotation


def make_release(
    name: str = "Words", *, items: Sequence[FrozenInstance] = (), phrases: Sequence[str] = ("botanists",), **fields: Any
) -> Release:
    """Return a frozen release in which two people gave these phrases for every instance."""
    annotation = {"answers": list(phrases), "cleaned": list(phrases), "not_aggregatable": False, "rejected": False}
    shown = [{"phrase": phrase, "display": phrase.capitalize(), "support": 2} for phrase in phrases]
    people = [{"annotator": f"w{number:012}", **annotation} for number in (1, 2)]
    rows = [{**instance.to_json(), "schema": 2, "aggregations": shown, "annotations": people} for instance in items]
    recipe, statistics = make_recipe(AGGREGATION, ["Phrases"]).to_json(), Statistics(AGGREGATION.release)
    digest = ReleaseHash(recipe)
    for row in rows:
        statistics.add_row(row)
        digest.add(row)
    frozen = {"size": len(rows), "content_hash": digest.hexdigest(), "frozen_at": now()}
    default = {"recipe": recipe, "statistics": statistics.to_json(), **frozen}
    release = Release.objects.create(name=name, **default | fields)
    ReleaseItem.objects.bulk_create(
        ReleaseItem(
            release=release, position=n, key=v.key, type=v.entity_type, size=v.size, value=row, digest=digest_of(row)
        )
        for n, (v, row) in enumerate(zip(items, rows, strict=True))
    )
    return release


def make_synthetic_release(name: str = "Phrases", instances: int = 60, *, seed: int = 5, **fields: Any) -> Release:
    """Return a frozen release of generated instances."""
    rows = [json.loads(line) for line in synthetic_release(instances, seed=seed)]
    statistics = Statistics(AGGREGATION.release)
    for row in rows:
        statistics.add_row(row)
    recipe = {**make_recipe(AGGREGATION, [name]).to_json(), "schema": 1}  # as its rows are
    default: dict[str, Any] = {"recipe": recipe, "statistics": statistics.to_json()}
    default |= {"size": len(rows), "content_hash": content_hash(rows), "frozen_at": now()}
    release = Release.objects.create(name=name, **default | fields)
    ReleaseItem.objects.bulk_create(
        ReleaseItem(
            release=release,
            position=number,
            key=row["key"],
            type=row["entity_type"],
            size=len(row["entities"]),
            value=row,
        )
        for number, row in enumerate(rows)
    )
    return release


def make_split(release: Release | None = None, **fields: Any) -> Split:
    default: dict[str, Any] = {"rule": "paper", "seed": 1, "by": None}
    return splits.make_split(release or make_synthetic_release(), **default | fields)


def make_experiment(
    name: str = "Baselines", *rankers: str, split: Split | None = None, is_queued: bool = False, **fields: Any
) -> Experiment:
    """Return an experiment with a run for each line of the grid, none of them executed."""
    more = {key: fields.pop(key) for key in ("seeds", "shares") if key in fields}
    grid = Grid(parse_entries(rankers or ("random", "frequency")), **more)
    plan = experiments.ExperimentPlan(name=name, split=split or make_split(), grid=grid, **fields)
    return experiments.create_experiment(plan, by=None, is_queued=is_queued)


def execute_all(experiment: Experiment) -> Experiment:
    for run in experiment.runs.filter(finished_at=None):
        running.execute_run(run.pk, Silent())
    return experiment
