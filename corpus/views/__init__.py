"""The corpus pages: what there is, reading more, problems, articles."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from corpus import selectors
from corpus.articles import EntityType
from corpus.contexts import MIN_SENTENCES
from corpus.forms import IngestForm
from corpus.models import Article, Background, Corpus, Entity, EntityCorrection
from corpus.plots import funnel
from corpus.recognition_figures import DOCUMENTS, figures_of
from corpus.services import backgrounds, corpora, corrections, finding, recognizing, uploads
from corpus.silence import SENTENCES
from tesa_site.kernel import jobs, spacy_pipelines
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.errors import InvalidInput, TesaError
from tesa_site.kernel.values import whole_number
from tesa_site.kernel.views.access import requires, signed_in
from tesa_site.kernel.views.downloads import csv_download
from tesa_site.kernel.views.plots import svg, svg_file

PER_PAGE = 50
SIZES = ("2", "3", "4", "5", "6")


@requires("corpus.view_corpus")
def corpus_list(request: HttpRequest) -> HttpResponse:
    return render(request, "corpus/list.html", {"corpora": selectors.corpora()})


@requires("corpus.add_corpus")
def new_corpus(request: HttpRequest) -> HttpResponse:
    form = IngestForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _start(request, form)
        except InvalidInput as error:
            form.add_error(error.field if error.field in form.fields else None, error.problem)
    context = {
        "form": form,
        "folder": settings.CORPUS_FOLDER,
        **_pipeline(),
        "queues_without_worker": kernel_selectors.queues_without_worker(["corpus"]),
    }
    return render(request, "corpus/new.html", context, status=422 if form.errors else 200)


def _pipeline() -> dict[str, object]:
    """Return what pages say about the pipeline. Asked each time: it may have been installed meanwhile."""
    return {
        "pipeline": settings.SPACY_PIPELINE,
        "pipeline_is_available": recognizing.is_available(),
        "default_pipeline": spacy_pipelines.DEFAULT,
        "default_requirement": spacy_pipelines.DEFAULT_REQUIREMENT,
    }


def _start(request: HttpRequest, form: IngestForm) -> HttpResponse:
    given, user = form.cleaned_data, signed_in(request)
    path = uploads.keep(given["upload"]) if given["upload"] else corpora.path_on_server(given["path"])
    try:
        job = corpora.start_reading(given["name"], source=given["source"], path=path, by=user)
    except TesaError:
        if given["upload"]:  # what was refused is not kept
            uploads.forget(path)
        raise
    jobs.nudge(job)
    return redirect("job", job.pk)


def _start_job(kind: str, corpus: Corpus, request: HttpRequest, **parameters: int) -> HttpResponse:
    job = corpora.start_job(kind, corpus, by=signed_in(request), find=True, **parameters)
    jobs.nudge(job)
    return redirect("job", job.pk)


@requires("corpus.view_corpus")
def corpus_page(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    words = request.GET.get("words", "").replace("\x00", "").strip()
    page = Paginator(selectors.articles(corpus, words=words), PER_PAGE).get_page(request.GET.get("page"))
    steps = selectors.funnel(corpus.finding) if hasattr(corpus, "finding") else []
    context = {
        "corpus": corpus,
        "counts": selectors.reading_counts(corpus),
        "page": page,
        "words": words,
        "words_query": urlencode({"words": words}),
        "finding": getattr(corpus, "finding", None),
        "corrections_waiting": selectors.corrections_waiting(corpus),
        "is_half_searched": selectors.is_half_searched(corpus),
        "corrections": EntityCorrection.objects.filter(corpus=corpus).count(),
        "to_review": selectors.entities_to_review(corpus).count(),
        "backgrounds": selectors.background_counts(corpus),
        "backgrounds_to_check": selectors.backgrounds_to_check(corpus).count(),
        "silent": selectors.silent_articles(corpus.finding) if steps else [],
        "funnel": steps,
        "plot": svg(funnel.plot(selectors.funnel_rows(steps))),
        "samples": corpus.samples.all(),
        "jobs": kernel_selectors.jobs().filter(subject=str(corpus), kind__in=corpora.JOB_KINDS)[:5],
        "queues_without_worker": kernel_selectors.queues_without_worker(["corpus"]),
    }
    return render(request, "corpus/corpus.html", context)


@requires("corpus.view_corpus")
def funnel_file(request: HttpRequest, corpus_id: int, format: str) -> HttpResponse:
    """The plot of the funnel, or the numbers behind it, as a file."""
    corpus = get_object_or_404(Corpus.objects.select_related("finding"), pk=corpus_id, finding__isnull=False)
    steps = selectors.funnel(corpus.finding)
    if format == "svg":
        return svg_file(funnel.plot(selectors.funnel_rows(steps)), f"funnel-{corpus.pk}")
    if format == "csv":
        rows = ((step.label, step.number, step.published, step.note) for step in steps)
        return csv_download(request, f"funnel-{corpus.pk}.csv", ["step", "here", "original", "note"], rows)
    raise Http404


@requires("corpus.view_corpus")
def problems(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(selectors.problems(corpus), PER_PAGE).get_page(request.GET.get("page"))
    shown = [{"where": uploads.shown(one.where), "reason": one.reason} for one in page]
    context = {"corpus": corpus, "page": page, "problems": shown, "is_upload": uploads.is_kept(corpus.path)}
    return render(request, "corpus/problems.html", context)


@requires("corpus.view_article")
def article_page(request: HttpRequest, article_id: int) -> HttpResponse:
    article = get_object_or_404(Article.objects.select_related("corpus", "recognition"), pk=article_id)
    context = {
        "article": article,
        "corpus": article.corpus,
        "reader": selectors.reader(article),
        "silence": SENTENCES[silence] if (silence := finding.silence_of(article)) else "",
        "corrections_waiting": selectors.corrections_waiting(article.corpus),
    }
    return render(request, "corpus/article.html", context)


@require_POST
@requires("corpus.add_corpus")
def read_again(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Read what has come to the archive since, or what an interrupted reading left."""
    return _start_job("ingest", get_object_or_404(Corpus, pk=corpus_id), request)


@require_POST
@requires("corpus.add_corpus")
def find_instances(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus, asked = get_object_or_404(Corpus, pk=corpus_id), whole_number(request.POST.get("min_sentences", ""))
    return _start_job("find_instances", corpus, request, **({"min_sentences": asked} if asked in MIN_SENTENCES else {}))


@require_POST
@requires("corpus.add_background")
def find_backgrounds(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Look up backgrounds in a dump in the folder for archives, or on live Wikipedia where no dump is named."""
    corpus, typed = get_object_or_404(Corpus, pk=corpus_id), request.POST.get("dump", "").strip()
    dump = corpora.path_on_server(typed) if typed else ""
    job = backgrounds.start_look_up(corpus, dump=dump, by=signed_in(request))
    jobs.nudge(job)
    return redirect("job", job.pk)


@requires("corpus.change_background")
def background_queue(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """One entity at a time: passages on one side, pages on the other, one key for each decision."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    waiting = selectors.backgrounds_to_check(corpus)
    asked = whole_number(request.GET.get("entity", ""))
    entity: Entity | None
    if asked is not None:
        entity = get_object_or_404(Entity.objects.select_related("background"), pk=asked, corpus=corpus)
    else:
        entity = _next(waiting, request)
    has_looked = Background.objects.filter(entity__corpus=corpus).exists()
    context: dict[str, object] = {"corpus": corpus, "entity": entity, "waiting": waiting.count()}
    context["has_looked"] = has_looked
    if entity:
        background = Background.objects.filter(entity=entity).first() or Background(entity=entity, status="missing")
        context |= {
            "background": background,
            "text": selectors.shown(background.text),
            "candidates": [(c, selectors.shown(c["text"])) for c in background.candidates],
            "passages": selectors.passages_of(entity),
            "after_query": _after_query(request),
        }
    return render(request, "corpus/background_queue.html", context)


def _next(waiting: QuerySet[Entity], request: HttpRequest) -> Entity | None:
    """Return the first that waits behind the one skipped last; from the start when none does."""
    ids, skipped = [str(pk) for pk in waiting.values_list("pk", flat=True)], request.GET.get("after", "")
    behind = ids[ids.index(skipped) + 1 :] if skipped in ids else ids
    return waiting.filter(pk__in=(behind or ids)[:1]).first()


def _after_query(request: HttpRequest) -> str:
    """Return the part of the address that says what was skipped, so that a decision does not bring it back."""
    after = request.GET.get("after", "")
    return "?" + urlencode({"after": after}) if after else ""


@require_POST
@requires("corpus.change_background")
def decide_background(request: HttpRequest, entity_id: int) -> HttpResponse:
    entity, user, given = get_object_or_404(Entity, pk=entity_id), signed_in(request), request.POST
    action, number = given.get("action", ""), whole_number(given.get("number", ""))
    if action == "accept":
        backgrounds.accept(entity, by=user)
    elif action == "choose" and number is not None:
        backgrounds.choose(entity, number, by=user)
    elif action == "write":
        backgrounds.write(entity, title="", text=given.get("text", ""), url=given.get("url", ""), by=user)
    elif action == "discard":
        backgrounds.discard(entity, by=user)
    else:
        raise InvalidInput("say what to do: accept, choose, write or discard", field="action")
    messages.success(request, f"{entity.name}: kept.")
    return redirect(reverse("admin:backgrounds", args=[entity.corpus_id]) + _after_query(request))


@requires("corpus.view_entity")
def entity_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    chosen = _chosen(request)
    page = Paginator(selectors.entities(corpus, type=chosen["type"], words=chosen["words"]), PER_PAGE)
    context = {"corpus": corpus, "page": page.get_page(request.GET.get("page")), "types": list(EntityType), **chosen}
    context["corrections_waiting"] = selectors.corrections_waiting(corpus)
    return render(request, "corpus/entities.html", context)


@requires("corpus.view_entity")
def entity_page(request: HttpRequest, entity_id: int) -> HttpResponse:
    entity = get_object_or_404(Entity.objects.select_related("corpus"), pk=entity_id)
    page = Paginator(selectors.articles_of(entity), PER_PAGE).get_page(request.GET.get("page"))
    background = Background.objects.filter(entity=entity).first()
    find = request.GET.get("find", "").replace("\x00", "").strip()
    context = {
        "entity": entity,
        "corpus": entity.corpus,
        "page": page,
        "background": background,
        "background_text": selectors.shown(background.text) if background else "",
        "names": entity.names.order_by("-articles", "folded"),
        "corrections": selectors.corrections_of(entity),
        "corrections_waiting": selectors.corrections_waiting(entity.corpus),
        "types": list(EntityType),
        "find": find,
        "candidates": selectors.merge_candidates(entity, words=find),
    }
    return render(request, "corpus/entity.html", context)


@requires("corpus.view_instance")
def instance_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    chosen, size = _chosen(request), request.GET.get("size", "")
    number = int(size) if size in SIZES else 0
    found = selectors.instances(corpus, type=chosen["type"], size=number, words=chosen["words"])
    page = Paginator(found, 20).get_page(request.GET.get("page"))
    rows = [(instance, selectors.instance_pieces(instance)) for instance in page]
    context = {"corpus": corpus, "page": page, "rows": rows, "types": list(EntityType), "sizes": SIZES, "size": size}
    context["corrections_waiting"] = selectors.corrections_waiting(corpus)
    return render(request, "corpus/instances.html", {**context, **chosen})


def _chosen(request: HttpRequest) -> dict[str, str]:
    """Return the filters of a list, and the query that keeps them while paging."""
    found = {name: request.GET.get(name, "").replace("\x00", "").strip() for name in ("type", "words", "size")}
    return {"type": found["type"], "words": found["words"], "query": urlencode({k: v for k, v in found.items() if v})}


@requires("corpus.delete_corpus")
def delete(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Ask first; the name must be typed, because nothing brings a corpus back but reading it again."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    if request.method == "POST":
        if request.POST.get("name", "").strip() == corpus.name:
            return _start_job("delete_corpus", corpus, request)
        messages.error(request, "That is not its name: nothing was deleted.")
    context = {"corpus": corpus, "counts": selectors.reading_counts(corpus), "is_upload": uploads.is_kept(corpus.path)}
    return render(request, "corpus/delete.html", context)


# ---- Corrections ----------------------------------------------------------------------------------


@require_POST
@requires("corpus.change_entity")
def correct_entity(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Keep what a person says about an entity; it takes effect with the next search."""
    entity = get_object_or_404(Entity.objects.select_related("corpus"), pk=entity_id)
    try:
        told = _correct(request, entity)
    except TesaError as error:
        problem = error.problem if isinstance(error, InvalidInput) else error.message
        messages.error(request, f"{entity.name}: nothing was changed: {problem.rstrip('.')}.")
    else:
        messages.success(request, f"{entity.name}: {told}.")
    if request.POST.get("next") == "recognized":
        return redirect(reverse("recognized", args=[entity.corpus_id]) + _after_query(request))
    return redirect("entity", entity.pk)


def _correct(request: HttpRequest, entity: Entity) -> str:
    """Do what the button says; return what to tell."""
    given, action = request.POST, request.POST.get("action", "")
    reason, by = given.get("reason", ""), signed_in(request)
    chosen = [number for one in given.getlist("others") if (number := whole_number(one)) is not None]
    others = Entity.objects.filter(pk__in=chosen)
    if action == "merge-here":
        corrections.merge([*others], entity, reason=reason, by=by)
    elif action == "merge-there":
        if len(others) != 1:
            raise InvalidInput("choose the one entity that it is")
        corrections.merge([entity], others[0], reason=reason, by=by)
    elif action == "split":
        corrections.split(entity, given.getlist("names"), reason=reason, by=by)
    elif action == "rename":
        corrections.rename(entity, given.get("name", ""), reason=reason, by=by)
    elif action in ("retype", *EntityType):
        corrections.retype(entity, given.get("type", "") if action == "retype" else action, reason=reason, by=by)
    elif action == "accept":
        corrections.accept(entity, reason=reason, by=by)
        return "accepted"
    elif action == "discard":
        corrections.discard(entity, reason=reason, by=by)
    else:
        raise InvalidInput("say what to do")
    return "kept; it takes effect when instances are found again"


@require_POST
@requires("corpus.change_entity")
def undo_correction(request: HttpRequest, correction_id: int) -> HttpResponse:
    row = get_object_or_404(EntityCorrection.objects.select_related("corpus"), pk=correction_id)
    try:
        corrections.undo(row, reason=request.POST.get("reason", ""), by=signed_in(request))
    except TesaError as error:
        messages.error(request, f"Nothing was changed: {error.message}")
    else:
        messages.success(request, f"{row.entity_name}: the correction no longer holds.")
    return redirect("corrections", row.corpus_id)


@requires("corpus.view_entitycorrection")
def correction_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(selectors.corrections(corpus), PER_PAGE).get_page(request.GET.get("page"))
    context = {"corpus": corpus, "page": page, "corrections_waiting": selectors.corrections_waiting(corpus)}
    return render(request, "corpus/corrections.html", context)


@requires("corpus.change_entity")
def recognized(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """The entities that only a pipeline names: one at a time with its passages, and the list of those that wait."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    waiting = selectors.entities_to_review(corpus)
    entity = _next(waiting, request)
    context = {
        "corpus": corpus,
        "entity": entity,
        "waiting": waiting.count(),
        "following": waiting.exclude(pk=entity.pk)[:PER_PAGE] if entity else [],
        "passages": selectors.passages_of(entity) if entity else [],
        "types": [type_ for type_ in EntityType if entity and type_ != entity.type],
        "after_query": _after_query(request),
        "finding": getattr(corpus, "finding", None),
        "pipeline_label": (label := selectors.last_pipeline(corpus)),
        "figures": (figures := figures_of(label)),
        "figure": dict(figures).get(entity.type) if entity else None,
        "figure_documents": DOCUMENTS,
        "corrections_waiting": selectors.corrections_waiting(corpus),
        **_pipeline(),
    }
    return render(request, "corpus/recognized.html", context)
