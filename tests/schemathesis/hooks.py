"""Ids that exist for requests that are meant to be good, or they would all end with "not found"."""

import itertools
import json
import os

import schemathesis
from schemathesis.generation import GenerationMode

with open(os.environ["MAINSPRING_IDS"], encoding="utf-8") as file:
    _ids = json.load(file)

_next = {kind: itertools.cycle(ids) for kind, ids in _ids.items()}


def _is_span(text):
    digits = text.rstrip("mshd")
    return digits.isascii() and digits.isdigit() and text[len(digits):] in ("ms", "s", "m", "h", "d")


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    # Every record that was not written yet would be waited for. Beside a header that nobody knows, which is taken as good, it
    # is left out: the check would hold the digits for a second thing that is wrong.
    if meta is not None and case.headers and str(case.headers.get("Mainspring-Record", "")).isdecimal():
        if any(name.lower().startswith("x-schemathesis-") for name in case.headers):
            del case.headers["Mainspring-Record"]
        else:
            case.headers["Mainspring-Record"] = "0"
    # A stream that would never end.
    if case.path == "/v1/events" and case.method.upper() == "GET" and meta is not None:
        query = case.query or {}
        wanted = str(query.get("for_ms", 1))
        # A span that will be refused stays as it was drawn.
        taken = wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= 86_400_000
        if meta.generation.mode == GenerationMode.POSITIVE or taken:
            case.query = {**query, "for_ms": 20}
        return
    # A long poll would wait for tasks that never end.
    if case.method.upper() == "GET" and meta is not None and "wait" in (case.query or {}):
        wanted = str(case.query["wait"])
        if meta.generation.mode == GenerationMode.POSITIVE or _is_span(wanted):
            case.query = {**case.query, "wait": "20ms"}
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE:
        return
    # A pattern with quotes is drawn as a header without anything in it, which the document does not allow.
    if case.headers and case.headers.get("If-Match") == "":
        del case.headers["If-Match"]
    # Tasks or a group of them, one of both: clients could not be made from a schema that says so.
    if case.path.startswith("/v1/dead-letters:") and isinstance(case.body, dict):
        case.body.pop("fingerprint", None)
        case.body.setdefault("ids", ["task_019a88f04c007d3e8b5f6a7c8d9e0f10"])
    # Operations are named by numbers that only their answers tell.
    if "id" not in case.path_parameters or "/operations/" in case.path:
        return
    # Every third one stays as it was drawn: an id that names nothing is good input too.
    kind = "workers" if "/workers/" in case.path else "tasks"
    chosen = next(_next[kind])
    if chosen:
        case.path_parameters["id"] = chosen


@schemathesis.check
def error_codes_are_documented(ctx, response, case):
    """An operation is refused only with codes that the document lists for it."""
    if response.status_code < 400 or "application/json" not in response.headers.get("content-type", [""])[0]:
        return
    code = response.json().get("error_code")
    # The router refused: no operation was asked for.
    if code in (None, "ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED"):
        return
    known = case.operation.definition.raw.get("x-error-codes", {}).get(str(response.status_code), [])
    assert code in known, f"`{code}` is not among x-error-codes of {case.operation.label}"
