"""The page of an article."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from corpus.models import Article
from corpus.no_instance import SENTENCES
from corpus.selectors.articles import reader_of
from corpus.selectors.corrections import corrections_waiting
from corpus.selectors.finding import no_instance_reason
from kernel.views.access import requires


@requires("corpus.view_article")
def article_page(request: HttpRequest, article_id: int) -> HttpResponse:
    article = get_object_or_404(Article.objects.select_related("corpus", "recognition"), pk=article_id)
    context = {
        "article": article,
        "corpus": article.corpus,
        "reader": reader_of(article),
        "no_instance": SENTENCES[reason] if (reason := no_instance_reason(article)) else "",
        "corrections_waiting": corrections_waiting(article.corpus),
    }
    return render(request, "corpus/article.html", context)
