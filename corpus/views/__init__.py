"""Pages of corpora: lists, reading an archive, problems, articles, entities, backgrounds, corrections."""

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
from corpus.backgrounds.paragraphs import display_text
from corpus.contexts import MIN_SENTENCES
from corpus.forms import IngestForm
from corpus.models import Article, Background, Corpus, Entity, EntityCorrection
from corpus.no_instance import SENTENCES
from corpus.plots import funnel
from corpus.recognition_figures import DOCUMENTS, figures_of
from corpus.selectors import overview
from corpus.selectors.finding import no_instance_reason
from corpus.services import backgrounds, corpora, corrections, recognizing, uploads
from kernel import selectors as kernel_selectors
from kernel import spacy_pipelines
from kernel.errors import InvalidInput, TesaError
from kernel.values import whole_number
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_download
from kernel.views.jobs import follow
from kernel.views.plots import svg_file
from kernel.views.ticked import ids_in

PER_PAGE = 50


@requires("corpus.view_corpus")
def corpus_list(request: HttpRequest) -> HttpResponse:
    return render(request, "corpus/list.html", {"corpora": selectors.corpora().select_related("finding")})


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
    """Return what pages show about the pipeline; checked every time, because it may have been installed since."""
    return {
        "pipeline": settings.SPACY_PIPELINE,
        "pipeline_is_available": recognizing.is_available(),
        "default_pipeline": spacy_pipelines.DEFAULT,
        "default_requirement": spacy_pipelines.DEFAULT_REQUIREMENT,
    }


def _start(request: HttpRequest, form: IngestForm) -> HttpResponse:
    cleaned, user = form.cleaned_data, signed_in(request)
    path = uploads.store_upload(cleaned["upload"]) if cleaned["upload"] else corpora.path_on_server(cleaned["path"])
    try:
        job = corpora.start_reading(cleaned["name"], source=cleaned["source"], path=path, by=user)
    except TesaError:
        if cleaned["upload"]:  # a refused upload is not kept
            uploads.delete_upload(path)
        raise
    return follow(request, job, reverse("corpus", args=[job.parameters["corpus"]]))


def _start_job(kind: str, corpus: Corpus, request: HttpRequest, **parameters: int) -> HttpResponse:
    job = corpora.start_job(kind, corpus, by=signed_in(request), find=True, **parameters)
    return follow(request, job)


@requires("corpus.view_corpus")
def corpus_page(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus.objects.select_related("finding"), pk=corpus_id)
    jobs = [*kernel_selectors.jobs(status="open").filter(subject=str(corpus), kind__in=corpora.JOB_KINDS)[:5]]
    context = {
        "corpus": corpus,
        "finding": (finding := getattr(corpus, "finding", None)),
        "has_articles": corpus.articles.exists(),
        "corrections_waiting": selectors.corrections_waiting(corpus),
        "is_half_searched": selectors.is_half_searched(corpus),
        "jobs": jobs,
        "is_busy": bool(jobs),
        "queues_without_worker": kernel_selectors.queues_without_worker(["corpus"]),
        **(overview.overview_of(finding) if finding else {}),
        "is_compared": request.GET.get("compare") == "study",
    }
    return render(request, "corpus/corpus.html", context)


@requires("corpus.view_corpus")
def funnel_file(request: HttpRequest, corpus_id: int, format: str) -> HttpResponse:
    """Download the plot of the funnel, or its numbers."""
    corpus = get_object_or_404(Corpus.objects.select_related("finding"), pk=corpus_id, finding__isnull=False)
    steps, name = selectors.funnel(corpus.finding), f"funnel-{corpus.pk}"
    if format == "svg":
        return svg_file(funnel.plot([(step.label, step.number, step.published) for step in steps]), name)
    if format == "csv":
        rows = ((step.label, step.number, step.published, step.note) for step in steps)
        return csv_download(request, f"{name}.csv", ["step", "here", "original", "note"], rows)
    raise Http404


@requires("corpus.view_corpus")
def problems(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(selectors.problems(corpus), PER_PAGE).get_page(request.GET.get("page"))
    rows = [{"where": uploads.without_upload_folder(row.where), "reason": row.reason} for row in page]
    context = {"corpus": corpus, "page": page, "problems": rows, "is_upload": uploads.is_upload(corpus.path)}
    context["jobs"] = kernel_selectors.jobs().filter(subject=str(corpus), kind__in=corpora.JOB_KINDS)[:5]
    return render(request, "corpus/problems.html", context)


@requires("corpus.view_article")
def article_page(request: HttpRequest, article_id: int) -> HttpResponse:
    article = get_object_or_404(Article.objects.select_related("corpus", "recognition"), pk=article_id)
    context = {
        "article": article,
        "corpus": article.corpus,
        "reader": selectors.reader(article),
        "no_instance": SENTENCES[reason] if (reason := no_instance_reason(article)) else "",
        "corrections_waiting": selectors.corrections_waiting(article.corpus),
    }
    return render(request, "corpus/article.html", context)


@require_POST
@requires("corpus.add_corpus")
def read_again(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Read what has been added to the archive, or what an interrupted reading left."""
    return _start_job("ingest", get_object_or_404(Corpus, pk=corpus_id), request)


@require_POST
@requires("corpus.add_corpus")
def find_instances(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus, number = get_object_or_404(Corpus, pk=corpus_id), whole_number(request.POST.get("min_sentences", ""))
    parameters = {"min_sentences": number} if number in MIN_SENTENCES else {}
    return _start_job("find_instances", corpus, request, **parameters)


@require_POST
@requires("corpus.add_background")
def find_backgrounds(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Look up backgrounds in a dump in the folder for archives, or on live Wikipedia if no dump is named."""
    corpus, typed = get_object_or_404(Corpus, pk=corpus_id), request.POST.get("dump", "").strip()
    dump = corpora.path_on_server(typed) if typed else ""
    return follow(request, backgrounds.start_look_up(corpus, dump=dump, by=signed_in(request)))


@requires("corpus.change_background")
def background_queue(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Show one entity at a time: passages on one side, pages on the other, a key for each decision."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    waiting = selectors.backgrounds_to_check(corpus)
    if (entity_id := whole_number(request.GET.get("entity", ""))) is None:
        entity = _next(waiting, request)
    else:
        entity = get_object_or_404(Entity.objects.select_related("background"), pk=entity_id, corpus=corpus)
    context: dict[str, object] = {
        "corpus": corpus,
        "entity": entity,
        "waiting": waiting.count(),
        "has_looked": Background.objects.filter(entity__corpus=corpus).exists(),
    }
    if entity:
        background = Background.objects.filter(entity=entity).first() or Background(entity=entity, status="missing")
        context |= {
            "background": background,
            "text": display_text(background.text),
            "candidates": [(c, display_text(c["text"])) for c in background.candidates],
            "passages": selectors.passages_of(entity),
            "after_query": _after_query(request),
        }
    return render(request, "corpus/background_queue.html", context)


def _next(waiting: QuerySet[Entity], request: HttpRequest) -> Entity | None:
    """Return the first entity after the one skipped last; the very first if there is none."""
    ids, skipped = [str(pk) for pk in waiting.values_list("pk", flat=True)], request.GET.get("after", "")
    following = ids[ids.index(skipped) + 1 :] if skipped in ids else ids
    return waiting.filter(pk__in=(following or ids)[:1]).first()


def _after_query(request: HttpRequest) -> str:
    """Return the query string that names the skipped entity, so that it does not come back after a decision."""
    after = request.GET.get("after", "")
    return "?" + urlencode({"after": after}) if after else ""


@require_POST
@requires("corpus.change_background")
def decide_background(request: HttpRequest, entity_id: int) -> HttpResponse:
    entity, user, posted = get_object_or_404(Entity, pk=entity_id), signed_in(request), request.POST
    action, number = posted.get("action", ""), whole_number(posted.get("number", ""))
    if action == "accept":
        backgrounds.accept_background(entity, by=user)
    elif action == "choose" and number is not None:
        backgrounds.choose_background(entity, number, by=user)
    elif action == "write":
        backgrounds.write_background(entity, title="", text=posted.get("text", ""), url=posted.get("url", ""), by=user)
    elif action == "discard":
        backgrounds.discard_background(entity, by=user)
    else:
        raise InvalidInput("choose an action: accept, choose, write or discard", field="action")
    messages.success(request, f"{entity.name}: background saved.")
    return redirect(reverse("admin:backgrounds", args=[entity.corpus_id]) + _after_query(request))


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
        "background_text": display_text(background.text) if background else "",
        "names": entity.names.order_by("-articles", "folded"),
        "corrections": selectors.corrections_of(entity),
        "corrections_waiting": selectors.corrections_waiting(entity.corpus),
        "types": list(EntityType),
        "find": find,
        "candidates": selectors.merge_candidates(entity, words=find),
    }
    return render(request, "corpus/entity.html", context)


@requires("corpus.delete_corpus")
def delete(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Ask for confirmation: the name must be typed, because only reading the archive again brings a corpus back."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    if request.method == "POST":
        if request.POST.get("name", "").strip() == corpus.name:
            job = corpora.start_job("delete_corpus", corpus, by=signed_in(request), find=True)
            return follow(request, job, reverse("corpora"))
        messages.error(request, "That is not the corpus’s name: nothing was deleted.")
    context = {
        "corpus": corpus,
        "counts": selectors.reading_counts(corpus),
        "is_upload": uploads.is_upload(corpus.path),
    }
    return render(request, "corpus/delete.html", context)


# ---- Corrections ----------------------------------------------------------------------------------


@require_POST
@requires("corpus.change_entity")
def correct_entity(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Store a correction of an entity; it takes effect with the next search."""
    entity = get_object_or_404(Entity.objects.select_related("corpus"), pk=entity_id)
    try:
        result = _correct(request, entity)
    except TesaError as error:
        problem = error.problem if isinstance(error, InvalidInput) else error.message
        messages.error(request, f"{entity.name} was not changed: {problem.rstrip('.')}.")
    else:
        messages.success(request, f"{entity.name}: {result}.")
    if request.POST.get("next") == "recognized":
        return redirect(reverse("recognized", args=[entity.corpus_id]) + _after_query(request))
    return redirect("entity", entity.pk)


def _correct(request: HttpRequest, entity: Entity) -> str:
    """Store the correction of the button that was pressed; return the result in words."""
    posted, action = request.POST, request.POST.get("action", "")
    reason, by = posted.get("reason", ""), signed_in(request)
    others = Entity.objects.filter(pk__in=ids_in(posted, "others"))
    if action == "merge-here":
        corrections.merge_entities([*others], entity, reason=reason, by=by)
    elif action == "merge-there":
        if len(others) != 1:
            raise InvalidInput("choose exactly one entity to merge into")
        corrections.merge_entities([entity], others[0], reason=reason, by=by)
    elif action == "split":
        corrections.split_entity(entity, posted.getlist("names"), reason=reason, by=by)
    elif action == "rename":
        corrections.rename_entity(entity, posted.get("name", ""), reason=reason, by=by)
    elif action in ("retype", *EntityType):
        corrections.retype_entity(
            entity, posted.get("type", "") if action == "retype" else action, reason=reason, by=by
        )
    elif action == "accept":
        corrections.accept_entity(entity, reason=reason, by=by)
        return "accepted"
    elif action == "discard":
        corrections.discard_entity(entity, reason=reason, by=by)
    else:
        raise InvalidInput("choose an action")
    return "correction saved; it takes effect when instances are found again"


@require_POST
@requires("corpus.change_entity")
def undo_correction(request: HttpRequest, correction_id: int) -> HttpResponse:
    row = get_object_or_404(EntityCorrection.objects.select_related("corpus"), pk=correction_id)
    try:
        corrections.undo_correction(row, reason=request.POST.get("reason", ""), by=signed_in(request))
    except TesaError as error:
        messages.error(request, f"Nothing was changed: {error.message}")
    else:
        messages.success(request, f"{row.entity_name}: correction undone.")
    return redirect("corrections", row.corpus_id)


@requires("corpus.view_entitycorrection")
def correction_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(selectors.corrections(corpus), PER_PAGE).get_page(request.GET.get("page"))
    context = {"corpus": corpus, "page": page, "corrections_waiting": selectors.corrections_waiting(corpus)}
    return render(request, "corpus/corrections.html", context)


@requires("corpus.change_entity")
def recognized(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Show the entities that only a pipeline named, one at a time with its passages, and the list of the others."""
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
