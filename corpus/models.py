"""A corpus, what was read from it and found in it, and samples of its instances."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from corpus.items import DEFAULT_ITEM_KIND, ITEM_KINDS
from corpus.items.base import ItemKind
from corpus.names_from import NamesSetting
from kernel.clock import now
from kernel.values import counted

LONGEST_TYPE = 60  # characters of a member's type; a longer source or facet is cut


class Corpus(models.Model):
    """One archive, read by one source. Everything found in it is deleted with it."""

    name = models.CharField(max_length=100, unique=True)
    source = models.CharField(max_length=40)
    path = models.CharField(max_length=1000)
    names_from = models.CharField(max_length=20, blank=True, default="")  # a NamesSetting; empty: each search decides
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    is_demo = models.BooleanField(default=False, editable=False)
    is_half_searched = models.BooleanField(default=False, editable=False)  # a search is at work, or was interrupted

    class Meta:
        verbose_name_plural = "corpora"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class ReadUnit(models.Model):
    """A piece of a corpus that has been read to its end, with the counts of that reading."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="units")
    key = models.CharField(max_length=1000)
    added = models.PositiveIntegerField(default=0)  # articles stored by this reading
    known = models.PositiveIntegerField(default=0)  # articles that were stored before, word for word
    problems = models.PositiveIntegerField(default=0)
    read_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "key"], name="unit_read_once")]

    def __str__(self) -> str:
        return self.key


class ReadProblem(models.Model):
    """Something in a unit that could not be read: where and why. At most 200 are stored for each unit."""

    unit = models.ForeignKey(ReadUnit, on_delete=models.CASCADE, related_name="problem_rows")
    where = models.CharField(max_length=1200)
    reason = models.CharField(max_length=500)

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


class Article(models.Model):
    """One document, as its source delivered it. Never changed after it is stored."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="articles")
    source_id = models.CharField(max_length=300)
    content_hash = models.CharField(max_length=64)
    title = models.TextField(blank=True)
    headline = models.TextField(blank=True)
    abstract = models.TextField(blank=True)
    lead = models.TextField(blank=True)
    paragraphs = models.JSONField(default=list)
    byline = models.TextField(blank=True)
    desk = models.TextField(blank=True)
    published = models.DateField(null=True, blank=True)
    tags = models.JSONField(default=list)  # {text, type, origin} as the publisher wrote them
    where = models.CharField(max_length=1200, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["corpus", "source_id"], name="article_once_per_corpus")]
        indexes = [models.Index(fields=["corpus", "published"], name="article_published")]

    def __str__(self) -> str:
        return self.title or self.source_id


class Entity(models.Model):
    """A person, location or organization in a corpus, with all the names the corpus uses for it."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="entities")
    key = models.CharField(max_length=64)
    type = models.CharField(max_length=12)
    name = models.TextField()
    strict = models.JSONField(default=list)  # other full names
    loose = models.JSONField(default=list)  # ambiguous names: surnames
    information = models.JSONField(default=list)  # what the index puts in brackets
    is_recognized = models.BooleanField(default=False)  # only a pipeline names it, no index
    is_reviewed = models.BooleanField(default=False)  # a person has corrected or accepted it
    articles = models.PositiveIntegerField(default=0)  # number of articles that mention it
    instances = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "entities"
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["corpus", "key"], name="entity_once_per_corpus")]
        indexes = [models.Index(fields=["corpus", "-articles"], name="entity_by_articles")]

    def __str__(self) -> str:
        return self.name


class EntityName(models.Model):
    """The entity that an index name refers to; `folded` is its handle (corpus/homonyms.py)."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="entity_names")
    folded = models.CharField(max_length=500)
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="names")
    text = models.TextField(blank=True)  # its most frequent spelling
    articles = models.PositiveIntegerField(default=0)  # number of articles tagged with it

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "folded"], name="name_once_per_corpus")]

    def __str__(self) -> str:
        return self.text or self.folded


class EntityCorrection(models.Model):
    """A person's correction of an entity. Rows are only added; the next search applies all that were not undone."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="corrections")
    kind = models.CharField(max_length=10)
    names = models.JSONField(default=list)  # handles of the corrected entity
    into = models.JSONField(default=list)  # handles of the other entity of a merge
    value = models.TextField(blank=True)  # the new name or type
    entity_name = models.TextField()  # at the time of the correction
    entity_type = models.CharField(max_length=12)
    reason = models.CharField(max_length=500)
    undoes = models.OneToOneField("self", null=True, on_delete=models.CASCADE, related_name="undone_by")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    made_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.entity_name}"


class Recognition(models.Model):
    """The names that a pipeline recognized in an article."""

    article = models.OneToOneField(Article, on_delete=models.CASCADE, related_name="recognition")
    pipeline = models.CharField(max_length=200)  # name and version
    rules = models.PositiveSmallIntegerField(default=1)  # recognition.RULES at the time
    tags = models.JSONField(default=list)  # as in Article.tags

    def __str__(self) -> str:
        return f"{len(self.tags)} names in {self.article_id}"


class Appearance(models.Model):
    """An entity in an article, with the places where the text mentions it."""

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="appearances")
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="appearances")
    mentions = models.JSONField(default=list)  # {part, paragraph, start, end, form}; part is "body" or "abstract"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["article", "entity"], name="appearance_once")]

    def __str__(self) -> str:
        return f"{self.entity_id} in {self.article_id}"


class Instance(models.Model):
    """Two to six entities of one type and a passage that mentions them all. Its key is the hash of its content."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="instances")
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="instances")
    key = models.CharField(max_length=64)
    group = models.CharField(max_length=64)  # overlap group: a sample takes one instance of each
    type = models.CharField(max_length=12)
    size = models.PositiveSmallIntegerField()
    entity_keys = models.JSONField(default=list)  # in the order in which the passage mentions them
    entity_names = models.JSONField(default=list)  # in the order of the keys
    names_text = models.TextField(blank=True)  # the same, one per line, for searching
    kind = models.CharField(max_length=10)  # content or abstract
    title = models.TextField(blank=True)
    context = models.TextField()
    mentions = models.JSONField(default=list)  # {entity, start, end}; entity is an index into entity_keys
    names_from = models.CharField(max_length=12, blank=True, default="")  # a NamesFrom; no part of the key

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["corpus", "key"], name="instance_once_per_corpus")]
        indexes = [models.Index(fields=["corpus", "type", "size"], name="instance_by_type_and_size")]

    def __str__(self) -> str:
        return ", ".join(self.entity_names)


class Finding(models.Model):
    """The funnel of a corpus: what the last search for entities and instances found and left out."""

    corpus = models.OneToOneField(Corpus, on_delete=models.CASCADE, related_name="finding")
    seed = models.BigIntegerField(default=0)
    min_sentences = models.PositiveSmallIntegerField(default=1)  # of a context taken from an article's body
    names_from = models.CharField(max_length=20, default=NamesSetting.TAGS_OR_RECOGNITION.value)  # a NamesSetting
    last_correction = models.BigIntegerField(default=0)  # id of the newest correction it applied
    found_at = models.DateTimeField(default=now)
    articles = models.PositiveIntegerField(default=0)
    untagged_articles = models.PositiveIntegerField(default=0)  # without a tag that was used
    recognized_articles = models.PositiveIntegerField(default=0)  # of these, with names that a pipeline recognized
    tagged_articles = models.PositiveIntegerField(default=0)  # with two or more tagged entities of one type
    entities = models.PositiveIntegerField(default=0)
    type_conflicts = models.PositiveIntegerField(default=0)
    tuples = models.PositiveIntegerField(default=0)
    tuples_cut = models.PositiveIntegerField(default=0)
    crowded_windows = models.PositiveIntegerField(default=0)
    instances = models.PositiveIntegerField(default=0)
    recognized_instances = models.PositiveIntegerField(default=0)  # of these, with names from recognition
    instance_articles = models.PositiveIntegerField(default=0)
    silent_articles = models.JSONField(default=dict)  # articles without an instance, by reason (corpus/no_instance.py)
    instance_entities = models.PositiveIntegerField(default=0)
    groups = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.instances} instances of {self.corpus_id}"


class Background(models.Model):
    """The text that explains an entity beside a passage: the opening of a page, how it was chosen and why."""

    entity = models.OneToOneField(Entity, on_delete=models.CASCADE, related_name="background")
    status = models.CharField(max_length=10)
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)  # the whole first paragraph, as its source gives it
    url = models.TextField(blank=True)
    page_id = models.BigIntegerField(null=True, blank=True)
    revision_id = models.BigIntegerField(null=True, blank=True)
    retrieved = models.DateField(null=True, blank=True)
    licence = models.CharField(max_length=200, blank=True)
    source = models.CharField(max_length=40, blank=True)
    reasons = models.JSONField(default=list)
    candidates = models.JSONField(default=list)  # other pages that were considered, best first, as rows of a dump
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(default=now)

    class Meta:
        indexes = [models.Index(fields=["status"], name="background_status")]

    def __str__(self) -> str:
        return f"{self.status}: {self.title}"


class TitleSource(models.Model):
    """A file of pages whose titles can be looked up, or the pages that corpora have as backgrounds."""

    name = models.CharField(max_length=64, unique=True)  # of a dump, the digest of its path
    label = models.TextField()  # the file's name, for people
    fingerprint = models.TextField(blank=True)  # of the dump that was read completely
    loaded_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return self.label


class PageTitle(models.Model):
    """A title that can be looked up: of a page, or one that redirects to another."""

    title = models.TextField(unique=True)
    key = models.BinaryField(max_length=2000)
    kind = models.CharField(max_length=20)
    target = models.TextField(blank=True)  # of a redirect
    opening = models.TextField(blank=True)  # the first sentence
    page_id = models.BigIntegerField(null=True, blank=True)
    source = models.ForeignKey(TitleSource, on_delete=models.CASCADE, related_name="titles")
    loaded_at = models.DateTimeField(default=now)

    class Meta:
        indexes = [
            models.Index(fields=["key"], name="title_key"),
            models.Index(fields=["page_id"], name="title_page_id", condition=models.Q(page_id__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.title


class TitleWord(models.Model):
    """The beginning of a title's key from one of its words on: any word of a title finds it through an index."""

    title = models.ForeignKey(PageTitle, on_delete=models.CASCADE, related_name="words")
    key = models.BinaryField(max_length=64)

    class Meta:
        indexes = [models.Index(fields=["key"], name="title_word_key")]

    def __str__(self) -> str:
        return bytes(self.key).decode(errors="replace")


class Sample(models.Model):
    """Items frozen for annotation, all of one kind. It outlives its corpus, and its members are never drawn again."""

    name = models.CharField(max_length=100, unique=True)
    item_kind = models.CharField(max_length=20, default=DEFAULT_ITEM_KIND)  # one of ITEM_KINDS
    corpus = models.ForeignKey(Corpus, null=True, blank=True, on_delete=models.SET_NULL, related_name="samples")
    corpus_name = models.CharField(max_length=100, blank=True)  # name of the corpus when the sample was drawn
    seed = models.BigIntegerField(null=True, blank=True)  # null if its instances were imported
    asked = models.PositiveIntegerField(null=True, blank=True)  # number of instances asked for
    filters = models.JSONField(default=dict)  # as of SampleFilters; [] means everything
    size = models.PositiveIntegerField(default=0)  # members
    content_hash = models.CharField(max_length=64, blank=True)  # of its members; empty while it is being filled
    made_of = models.CharField(max_length=200, blank=True, default="")  # in words, if it was made of answers to others
    problems = models.JSONField(default=list)  # {where, reason} of rows that could not be imported the last time
    problem_count = models.PositiveIntegerField(default=0)  # of which the first 200 are stored
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def kind(self) -> ItemKind:
        return ITEM_KINDS[self.item_kind]

    @property
    def contents(self) -> str:
        """Its size in words: “3 instances”."""
        return counted(self.size, self.kind.singular, self.kind.plural)


class SampledInstance(models.Model):
    """A member of a sample: an item of its kind, frozen when it was drawn or imported."""

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="members")
    position = models.PositiveIntegerField()  # from 0, in the order of drawing
    key = models.CharField(max_length=64, db_index=True)
    group = models.CharField(max_length=64)
    type = models.CharField(max_length=LONGEST_TYPE)  # its first facet, such as the type of entity; else its kind
    size = models.PositiveSmallIntegerField()  # entities; 0 for a kind without sizes
    value = models.JSONField()  # FrozenItem.to_json()

    class Meta:
        ordering = ["sample", "position"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "position"], name="one_member_a_position"),
            models.UniqueConstraint(fields=["sample", "key"], name="instance_once_per_sample"),
        ]

    def __str__(self) -> str:
        return f"{self.position} of {self.sample_id}"
