"""/releases/: what is frozen."""

from __future__ import annotations

from django.urls import path, re_path

from annotation.views import release_changes, releases

urlpatterns = [
    path("", releases.release_list, name="releases"),
    path("new/", release_changes.new_release, name="release-new"),
    path("compare/", releases.compare, name="release-compare"),
    path("<int:release_id>/", releases.release_page, name="release"),
    path("<int:release_id>/items/", releases.item_list, name="release-items"),
    path("<int:release_id>/items/<int:position>/", releases.item_page, name="release-item"),
    path("<int:release_id>/discarded/", releases.discarded, name="release-discarded"),
    re_path(r"^(?P<release_id>\d+)/statistics\.(?P<format>svg|csv)$", releases.plot, name="release-plot"),
    path("<int:release_id>/files/<slug:format>/", releases.download, name="release-download"),
    path("<int:release_id>/export/", release_changes.export, name="release-export"),
    path("<int:release_id>/delete/", release_changes.delete, name="release-delete"),
]
