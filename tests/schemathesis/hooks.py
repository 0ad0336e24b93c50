"""Ids that exist for requests that are meant to be good, or they would all end with "not found"."""

import itertools
import json
import os

import schemathesis
from schemathesis.generation import GenerationMode

with open(os.environ["MAINSPRING_IDS"], encoding="utf-8") as file:
    _ids = json.load(file)

_next = {kind: itertools.cycle(ids) for kind, ids in _ids.items()}


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE or "id" not in case.path_parameters:
        return
    # Every third one stays as it was drawn: an id that names nothing is good input too.
    kind = "workers" if "/workers/" in case.path else "tasks"
    chosen = next(_next[kind])
    if chosen:
        case.path_parameters["id"] = chosen
