from __future__ import annotations

import io
import os
import stat

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.urls import reverse

from kernel.clock import now
from kernel.errors import TesaError
from kernel.jobs import running
from kernel.models import Job, User
from kernel.progress import Silent
from kernel.roles import Role
from kernel.services import jobs, people
from kernel.services.backup import archive, files
from tests.kernel.archives import all_rows, make_state

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR = tmp_path / "var"
    settings.MEDIA_ROOT = tmp_path / "var" / "files"
    return tmp_path


def test_the_commands_write_a_private_file_and_bring_it_back(own_folder, capsys):
    make_state()
    rows = all_rows()

    call_command("backup")
    (path,) = (own_folder / "var" / "backups").iterdir()
    Job.objects.all().delete()
    with pytest.raises(CommandError, match="--replace"):
        call_command("restore", str(path))
    call_command("restore", str(path), "--replace")

    assert all_rows() == rows
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.name.startswith(f"tesa-{now():%Y%m%d}-")
    assert "3 files" in capsys.readouterr().out


def test_the_commands_say_in_one_line_what_is_wrong(own_folder, monkeypatch):
    def interrupt() -> None:
        raise KeyboardInterrupt

    (own_folder / "there").write_text("precious")

    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", str(own_folder / "there"))
    with pytest.raises(CommandError, match="No such file"):
        call_command("restore", str(own_folder / "nowhere"))
    with pytest.raises(CommandError, match="not a TESA backup"):
        call_command("restore", str(own_folder / "there"))
    monkeypatch.setattr(files, "stored_names", interrupt)
    with pytest.raises(CommandError, match="Nothing was written") as stopped:
        call_command("backup", str(own_folder / "new"))

    assert stopped.value.returncode == 130
    assert (own_folder / "there").read_text() == "precious"
    assert not list(own_folder.glob("*new*"))


def test_the_job_stores_an_archive_that_an_administrator_can_download(client):
    make_state()
    ada = User.objects.get()
    job = jobs.create_job("back_up", by=ada)
    claimed = jobs.claim_job(job.pk, 1, worker="test")
    assert claimed

    running.execute(claimed)
    assert Job.objects.get(pk=job.pk).status == "succeeded", Job.objects.get(pk=job.pk).traceback

    job.refresh_from_db()
    name = job.result_url.rsplit("/", 1)[1]
    assert job.result.startswith(f"{name}: ")
    assert job.result_url == reverse("backup", args=[name])
    assert stat.S_IMODE(os.stat(default_storage.path(f"backups/{name}")).st_mode) == 0o600
    client.force_login(ada)
    downloaded = io.BytesIO(b"".join(client.get(job.result_url).streaming_content))
    assert archive.check(downloaded, Silent()).files == 3


def test_only_an_administrator_may_back_up():
    ben = people.create_user("ben", role=Role.RESEARCHER)

    with pytest.raises(TesaError, match="may not run"):
        jobs.create_job("back_up", by=ben)
