"""The web server's log lines in our format, with secrets redacted."""

from __future__ import annotations

from gunicorn.config import Config
from gunicorn.glogging import Logger

from kernel.logs import JsonFormatter, TextFormatter
from tesa_site import settings


class WebLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        formatter = JsonFormatter() if settings.LOG_FORMAT == "json" else TextFormatter()
        for handler in self.error_log.handlers:
            handler.setFormatter(formatter)
