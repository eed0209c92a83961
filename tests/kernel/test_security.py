"""The content security policy."""

from __future__ import annotations

import pytest

from kernel.security import content_security_policy


def test_a_page_that_loosens_nothing_cannot_be_framed_and_sends_forms_home():
    assert content_security_policy().endswith("form-action 'self'; frame-ancestors 'none'; base-uri 'none'")


def test_only_the_named_origins_may_frame_a_page_and_take_its_forms():
    policy = content_security_policy(form_targets=["https://a.example"], frame_ancestors=["https://b.example:8443"])

    assert "form-action 'self' https://a.example; frame-ancestors https://b.example:8443; base-uri" in policy


def test_a_page_shows_frames_of_the_named_origins_only():
    policy = content_security_policy(frames=["'self'", "https://a.example"])

    assert policy == f"{content_security_policy()}; frame-src 'self' https://a.example"


@pytest.mark.parametrize("name", ["*", "http://a.example", "https://a.example/x", "https://a.example; img-src *", ""])
def test_anything_but_an_https_origin_is_refused(name: str):
    with pytest.raises(ValueError, match="is not an origin"):
        content_security_policy(frame_ancestors=[name])
    with pytest.raises(ValueError, match="is not an origin"):
        content_security_policy(frames=[name])
