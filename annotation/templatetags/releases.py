"""What the header of a release shows."""

from __future__ import annotations

from django import template

from annotation.models import Release
from annotation.services.releases import lock_of
from kernel import selectors
from kernel.models import Job

register = template.Library()


@register.simple_tag
def job_at_work(release: Release) -> Job | None:
    """Return the open job that fills this release; None if it is complete, or its job was stopped."""
    return None if release.content_hash else selectors.jobs(status="open").filter(lock=lock_of(release)).first()
