from __future__ import annotations

from django.urls import path

from corpus import views

urlpatterns = [
    path("", views.corpus_list, name="corpora"),
    path("new/", views.new_corpus, name="corpus-new"),
    path("<int:corpus_id>/", views.corpus_page, name="corpus"),
    path("<int:corpus_id>/funnel.<str:format>", views.funnel_file, name="corpus-funnel"),
    path("<int:corpus_id>/problems/", views.problems, name="corpus-problems"),
    path("<int:corpus_id>/read/", views.read_again, name="corpus-read"),
    path("<int:corpus_id>/delete/", views.delete, name="corpus-delete"),
    path("<int:corpus_id>/find/", views.find_instances, name="corpus-find"),
    path("<int:corpus_id>/backgrounds/", views.find_backgrounds, name="corpus-backgrounds"),
    path("<int:corpus_id>/entities/", views.entity_list, name="entities"),
    path("<int:corpus_id>/instances/", views.instance_list, name="instances"),
    path("entities/<int:entity_id>/", views.entity_page, name="entity"),
    path("<int:corpus_id>/corrections/", views.correction_list, name="corrections"),
    path("<int:corpus_id>/recognized/", views.recognized, name="recognized"),
    path("corrections/<int:correction_id>/undo/", views.undo_correction, name="correction-undo"),
    path("entities/<int:entity_id>/correct/", views.correct_entity, name="entity-correct"),
    path("entities/<int:entity_id>/background/", views.decide_background, name="background-decide"),
    path("articles/<int:article_id>/", views.article_page, name="article"),
]
