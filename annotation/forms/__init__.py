"""The forms of pages: a campaign and its requirements, instructions, a release."""
