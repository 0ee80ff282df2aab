//! The code base of the demo: a small client of a booking service.

pub(super) const README: &str = "# ferry

A small client of the booking service.

    python -m pytest
";

pub(super) const CLIENT_BEFORE: &str = r#""""Sends requests to the booking service."""
import urllib.request


def send(request):
    return urllib.request.urlopen(request, timeout=5)
"#;

pub(super) const CLIENT: &str = r#""""Sends requests to the booking service."""
import random
import time
import urllib.request

ATTEMPTS = 4


def send(request):
    for attempt in range(ATTEMPTS):
        try:
            return urllib.request.urlopen(request, timeout=5)
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(random.uniform(0, 2**attempt))
"#;

pub(super) const BOOKING: &str = r#"import json, urllib.request, uuid
from client import send

def book(crossing, passengers, key=None):
    body = json.dumps({"crossing": crossing, "passengers": passengers}).encode()
    request = urllib.request.Request("http://localhost:8080/bookings", data=body)
    # The service books once per key, however often it is asked.
    request.add_header("Idempotency-Key", key or str(uuid.uuid4()))
    return send(request)
"#;

pub(super) const TESTS: &str = r#"from unittest import mock

import client


def test_a_failed_request_is_tried_again():
    with mock.patch("client.urllib.request.urlopen", side_effect=[OSError, "ok"]), mock.patch("client.time.sleep"):
        assert client.send("request") == "ok"
"#;

pub(super) const OUTAGE: &str = "# The outage

The booking service was down for four minutes. When it came back, every client retried in the same second and brought it down
again. Delays are random since then.
";
