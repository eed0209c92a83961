"""A simulated worker in a browser at the marketplace's worker site, where a rehearsal takes place."""

from __future__ import annotations

from annotation.simulation.browser import Browser, LoadedPage, Reply, path_of, read_page
from kernel.errors import Unavailable


class MTurkGuest:
    """Takes HITs of one group, one at a time, by the forms that the pages offer."""

    def __init__(self, url: str, secret: str, group: str) -> None:
        self.browser, self.group = Browser(url, keeps_cookies=True), f"/marketplace/groups/{group}/"
        self.held: dict[str, LoadedPage] = {}  # pages of HITs that were accepted and are neither submitted nor returned
        self._read(self.browser.post(f"/marketplace/enter/{secret}/", {}))

    def accept(self) -> str:
        """Preview and accept the next HIT; return the address of its frame, or "" if none is left for this worker."""
        preview = self._read(self.browser.get(self.group))
        form = preview.form_to("/accept/")
        if form is None:
            return ""
        self._read(self.browser.get(path_of(preview.frames[0])))
        reply = self.browser.post(form.action, form.fields)
        page = self._read(reply)
        if not page.frames or reply.path in self.held:
            return ""
        self.held[reply.path] = page
        return path_of(page.frames[0])

    def submit(self, page: LoadedPage) -> bool:
        """Send the form by which the last accepted HIT is handed over; False if the frame shows none."""
        form = page.form_to("/mturk/externalSubmit")
        if form is None:
            return False
        self._read(self.browser.post(path_of(form.action), form.fields))
        self.held.popitem()
        return True

    def give_back(self) -> None:
        """Return everything that is held."""
        while self.held:
            _, page = self.held.popitem()
            if form := page.form_to("/return/"):
                self._read(self.browser.post(form.action, form.fields))

    def close(self) -> None:
        self.browser.close()

    def _read(self, reply: Reply) -> LoadedPage:
        if reply.status not in (200, 409, 422):
            raise Unavailable(f"The worker site answered {reply.path or self.group} with {reply.status}.")
        return read_page(reply.text)
