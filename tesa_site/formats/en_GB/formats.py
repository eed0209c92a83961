"""How dates are written where a template does not say it: as on our own pages, by a clock of 24 hours."""

from __future__ import annotations

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j M Y, H:i"
