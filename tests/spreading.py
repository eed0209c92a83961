"""Which tests run in the same process when several processes run the tests."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

# Every test of these files opens one page. They need nothing but the running product, and take minutes together.
APART = ("tests/browser/test_pages_in_the_browser.py",)


class FilesAndPages(LoadScopeScheduling):  # type: ignore[misc]
    """A file stays together, because its tests share fixtures; pages go to the process that has time.

    xdist begins with the files that have the most tests. Single tests come last, so no process waits for the other.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return nodeid if file in APART else file
