"""What texts may hold, as patterns that the description of the API shows.

Each can match in one way only, so that a text of any length costs no more than its length.
"""

from __future__ import annotations

NAME = r"^[^\w\x00-\x1f]*\w[^\x00-\x1f]*$"  # one line that is not all signs
ONE_LINE = r"^[^\x00-\x1f]*$"
PARAGRAPH = r"^[^\w\x00]*\w[^\x00]*$"  # of any lines, not all signs
TEXT = r"^[^\x00]*$"
