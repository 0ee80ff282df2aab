"""A Python client that openapi-python-client makes of the served document talks to `ken serve`: every answer is one of its models.

usage: python generated.py PATH-OF-KEN
"""

import enum
import importlib
import json
import re
import subprocess
import sys
import tempfile
import typing
from pathlib import Path

import httpx

from place import project, served

KEN = sys.argv[1]
LESSON = "Retry network calls with jitter, or all clients come back at once."
RULE = "Always give a timeout to a network call."
METHODS = ("get", "post", "put", "patch", "delete")
WORK = {"task": "mend the retries", "role": "researcher"}
# What a GET needs beside its path, by its verb.
QUERIES = {"search": {"query": "retry with jitter"}, "surface": WORK, "surface --inject": WORK}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

# Lists that have rows in the store of this test.
LISTS = ["/entries", "/queue", "/runs", "/reviews", "/promotions", "/staging", "/quarantine", "/outcomes"]


class Generated:
    """The client that was made of a document, by the paths of its operations."""

    def __init__(self, address: str, token: str, folder: Path) -> None:
        self.document = httpx.get(f"{address}/api/v1/openapi.json").json()
        described, configured = folder / "openapi.json", folder / "config.yml"
        described.write_text(json.dumps(self.document))
        # A formatter would change nothing of what is tested.
        configured.write_text("post_hooks: []\n")
        command = [
            sys.executable, "-m", "openapi_python_client", "generate", "--path", str(described), "--meta", "none",
            "--output-path", str(folder / "kenning_api"), "--config", str(configured), "--fail-on-warning",
        ]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout + made.stderr
        sys.path.insert(0, str(folder))
        self.client = importlib.import_module("kenning_api").AuthenticatedClient(base_url=address, token=token)
        self.problem = importlib.import_module("kenning_api.models").Problem
        self.modules = {module.stem: module for module in (folder / "kenning_api/api").glob("*/*.py")}
        self.operations = {
            (method.upper(), path.removeprefix("/api/v1")): operation
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
            if method in METHODS
        }
        self.answered: set[str] = set()

    def function(self, method: str, path: str):
        """The generated function of an operation."""
        operation = self.operations[method, path]
        module = self.modules[operation["operationId"].lower()]
        return importlib.import_module(f"kenning_api.api.{module.parent.name}.{module.stem}").sync_detailed

    def body(self, method: str, path: str):
        """The model of a request's body."""
        kinds = typing.get_type_hints(self.function(method, path))["body"]
        return next((kind for kind in typing.get_args(kinds) if hasattr(kind, "from_dict")), kinds)

    def ask(self, method: str, path: str, *, status: int = 200, body=None, **given):
        """Calls an operation. Its answer has the status, is a model, and says as one what was sent."""
        function = self.function(method, path)
        if isinstance(body, dict):
            body = self.body(method, path).from_dict(body)
        if body is not None:
            given["body"] = body
        hints = typing.get_type_hints(function)
        response = function(client=self.client, **{name: typed(value, hints[name]) for name, value in given.items()})
        told = f"{method} {path}: {response.status_code}: {response.content[:2000]!r}"
        assert response.status_code == status, told
        assert hasattr(response.parsed, "to_dict"), f"no model: {told}"
        assert isinstance(response.parsed, self.problem) == (status >= 400), f"another model: {told}"
        assert same(response.parsed.to_dict(), json.loads(response.content)), f"{told}\n{response.parsed}"
        self.answered.add(f"{method} {path}")
        return response.parsed


def typed(value, hint):
    """A word as the enum that a parameter takes."""
    kinds = [kind for kind in (hint, *typing.get_args(hint)) if isinstance(kind, type) and issubclass(kind, enum.Enum)]
    return kinds[0](value) if kinds else value


def same(parsed, sent) -> bool:
    """Whether two values of JSON are the same; a moment may be written in several ways."""
    if isinstance(parsed, dict) and isinstance(sent, dict):
        return parsed.keys() == sent.keys() and all(same(value, sent[name]) for name, value in parsed.items())
    if isinstance(parsed, list) and isinstance(sent, list):
        return len(parsed) == len(sent) and all(map(same, parsed, sent))
    if isinstance(parsed, str) and isinstance(sent, str) and MOMENT.match(parsed):
        return MOMENT.match(parsed)[0] == MOMENT.match(sent)[0]
    return parsed == sent


def add(api: Generated, **fields):
    return api.ask("POST", "/entries", body={"evidence": ["pr:1"], "anchors": ["src/net.rs"], "verification": ["look"]} | fields)


def read_pages(api: Generated, path: str, **given) -> int:
    """Reads a list a row at a time; says how many rows it has."""
    whole = api.ask("GET", path, **given)
    rows, page = [], api.ask("GET", path, limit=1, **given)
    while True:
        assert len(page.items) <= 1 and page.total == whole.total, page
        rows += page.items
        if not isinstance(page.cursor, str):
            break
        page = api.ask("GET", path, limit=1, cursor=page.cursor, **given)
    assert [row.to_dict() for row in rows] == [row.to_dict() for row in whole.items], path
    return len(rows)


def change(api: Generated, entry: str) -> None:
    """What GET gave is sent back, as it is and with changes in it."""
    shown = api.ask("GET", "/entries/{id}", id=entry)
    assert (shown.statement, shown.tags, shown.evidence) == (LESSON, ["net"], ["pr:1"]), shown
    assert shown.status.value == "candidate" and shown.scope.value == "project", shown
    read = api.body("PATCH", "/entries/{id}").from_dict(shown.to_dict())
    assert api.ask("PATCH", "/entries/{id}", id=entry, body=read).outcome.value == "unchanged"
    read.tags = [*shown.tags, "retry"]
    read.detail = "Cap the delay at 20 s."
    assert api.ask("PATCH", "/entries/{id}", id=entry, body=read).outcome.value == "changed"
    changed = api.ask("GET", "/entries/{id}", id=entry)
    assert changed.tags == ["net", "retry"] and changed.detail == "Cap the delay at 20 s.", changed
    assert [place.at for place in changed.anchors] == [place.at for place in shown.anchors] == ["src/net.rs"], changed


def converse(api: Generated) -> None:
    added = add(api, type="lesson", statement=LESSON, tags=["net"])
    assert added.outcome.value == "added", added
    other = add(api, type="lesson", statement="Close idle connections after a minute, or the pool runs dry.")
    add(api, type="commit_norm", rule=RULE, statement=RULE)
    # Two that lack parts wait in the queue.
    for statement in ("The export takes an hour on Mondays.", "The importer keeps its lock for too long."):
        draft = api.ask("POST", "/entries", body={"type": "lesson", "statement": statement, "draft": True})
        assert draft.outcome.value == "held", draft
    change(api, added.id)

    # What is refused says why: nothing speaks for it, there is no such entry, and it was kept out.
    unproven = {"type": "lesson", "statement": "Nothing at all speaks for this claim."}
    assert api.ask("POST", "/entries", status=422, body=unproven).code.value == "provenance_required"
    assert api.ask("GET", "/entries/{id}", status=404, id="L-000000").code.value == "not_found"

    found = api.ask("GET", "/search", **QUERIES["search"])
    assert added.id in [result.id for result in found.results], found
    started = api.ask("POST", "/runs", body={"run": "task-1", "goal": "mend the retries"})
    review = api.ask("POST", "/reviews", body={"run": "review-1", "agents": ["ada", "bob"], "summary": "retries"})
    proposed = api.ask("POST", "/promotions", body={
        "sources": [added.id, other.id], "to": "semantic", "statement": "Network calls need limits.", "evidence": ["pr:1"],
        "reason": "they say the same",
    })
    reduced = api.ask("POST", "/reduce", body={"sources": ["RULES.md"]})
    places = {"id": added.id, "run": started.run, "promotion": proposed.id}

    for (method, path), operation in api.operations.items():
        if method != "GET" or path == "/openapi.json":
            continue
        names = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
        if unknown := [name for name in names if name not in places]:
            print(f"not called: GET {path} ({', '.join(unknown)})")
            continue
        given = {name: places[name] for name in names}
        others = {"/reviews/{run}": {"run": review.run}, "/staging/{id}": {"id": reduced.staged[0].id}}
        given |= others.get(path, {})
        # A token makes no person.
        status = 403 if operation["x-ken-person"] else 200
        api.ask(method, path, status=status, **given, **QUERIES.get(operation["x-ken-verb"], {}))

    for path in LISTS:
        assert read_pages(api, path) > 0, path
    events = api.ask("GET", "/events")
    assert events.items and not isinstance(events.cursor, str), "the newest ones are on the last page"
    assert api.ask("GET", "/events", cursor=events.position).items == []
    assert isinstance(api.ask("GET", "/events", cursor="0.0", limit=1).cursor, str)

    api.ask("POST", "/entries/{id}/pin", id=added.id)
    api.ask("POST", "/entries/{id}/feedback", id=added.id, body={"helpful": True})
    api.ask("POST", "/entries/{id}/archive", id=other.id, body={"reason": "an example"})
    api.ask("POST", "/entries/{id}/restore", id=other.id, body={"reason": "an example"})
    api.ask("POST", "/entries/{id}/confirm", id=added.id)
    api.ask("POST", "/check", body={"ids": [added.id]})
    api.ask("POST", "/scan", body={"stored": True})
    api.ask("POST", "/runs/{run}/finish", run=started.run, body={"outcome": "success"})


with project(KEN, role="admin") as (repository, env, token), served(KEN, repository, env) as link:
    (repository / "RULES.md").write_text("# Rules\n\n- Never log the text of a token.\n")
    with tempfile.TemporaryDirectory() as folder:
        api = Generated(link.split("/login")[0], token, Path(folder))
        converse(api)
        print(f"ok: {len(api.answered)} of {len(api.operations)} operations answered with their models")
