from __future__ import annotations

from django.urls import path, re_path

from corpus import views
from corpus.views import background_list, lists, samples

urlpatterns = [
    path("", views.corpus_list, name="corpora"),
    path("new/", views.new_corpus, name="corpus-new"),
    path("<int:corpus_id>/", views.corpus_page, name="corpus"),
    path("<int:corpus_id>/funnel.<str:format>", views.funnel_file, name="corpus-funnel"),
    path("<int:corpus_id>/articles/", lists.article_list, name="corpus-articles"),
    path("<int:corpus_id>/articles/articles.csv", lists.articles_file, name="articles-file"),
    path("<int:corpus_id>/samples/", samples.corpus_samples, name="corpus-samples"),
    path("<int:corpus_id>/problems/", views.problems, name="corpus-problems"),
    path("<int:corpus_id>/read/", views.read_again, name="corpus-read"),
    path("<int:corpus_id>/delete/", views.delete, name="corpus-delete"),
    path("<int:corpus_id>/find/", views.find_instances, name="corpus-find"),
    path("<int:corpus_id>/backgrounds/", views.find_backgrounds, name="corpus-backgrounds"),
    path("<int:corpus_id>/backgrounds/list/", background_list.background_list, name="background-list"),
    path("<int:corpus_id>/entities/", lists.entity_list, name="entities"),
    path("<int:corpus_id>/entities/entities.csv", lists.entities_file, name="entities-file"),
    path("<int:corpus_id>/instances/", lists.instance_list, name="instances"),
    path("<int:corpus_id>/instances/instances.csv", lists.instances_file, name="instances-file"),
    path("<int:corpus_id>/instances/download/", samples.instances_download, name="instances-download"),
    path("<int:corpus_id>/instances/<slug:key>/", samples.instance_page, name="instance"),
    path("<int:corpus_id>/draw/", samples.draw_sample, name="sample-draw"),
    path("samples/", samples.sample_list, name="samples"),
    path("samples/import/", samples.import_sample, name="sample-import"),
    path("samples/<int:sample_id>/", samples.sample_page, name="sample"),
    path("samples/<int:sample_id>/<int:position>/", samples.member_page, name="sample-member"),
    path("samples/<int:sample_id>/download/", samples.sample_download, name="sample-download"),
    path("samples/<int:sample_id>/delete/", samples.delete_sample, name="sample-delete"),
    re_path(r"^samples/(?P<sample_id>\d{1,18})/plot\.(?P<format>svg|csv)$", samples.sample_plot, name="sample-plot"),
    path("entities/<int:entity_id>/", views.entity_page, name="entity"),
    path("<int:corpus_id>/corrections/", views.correction_list, name="corrections"),
    path("<int:corpus_id>/recognized/", views.recognized, name="recognized"),
    path("corrections/<int:correction_id>/undo/", views.undo_correction, name="correction-undo"),
    path("entities/<int:entity_id>/correct/", views.correct_entity, name="entity-correct"),
    path("entities/<int:entity_id>/background/", views.decide_background, name="background-decide"),
    path("articles/<int:article_id>/", views.article_page, name="article"),
]
