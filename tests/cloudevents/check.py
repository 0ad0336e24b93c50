"""Events made by the official libraries against a running server: every form is taken, and only good signatures."""

import json
import os
import sys
import urllib.error
import urllib.request
from datetime import datetime, timezone

from cloudevents.core.bindings.http import to_binary_event, to_structured_event
from cloudevents.core.v1.event import CloudEvent
from standardwebhooks.webhooks import Webhook

SERVER = os.environ["MAINSPRING_SERVER"]
SECRET = os.environ["MAINSPRING_WEBHOOK_SECRET"]


def post(path, headers, body):
    request = urllib.request.Request(SERVER + path, data=body, headers=dict(headers), method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def made(number):
    attributes = {
        "specversion": "1.0",
        "id": f"sdk-{number}",
        "source": "/sdk",
        "type": "com.example.order.created",
        "subject": "ordér 7",
        "time": datetime.now(tz=timezone.utc),
        "datacontenttype": "application/json",
    }
    return CloudEvent(attributes=attributes, data={"amount": number})


def require(holds, what):
    if not holds:
        sys.exit(f"cloudevents: {what}")


def begun(status, answer):
    require(status == 202, f"{status} {answer}")
    return [len(result["runs"]) for result in answer["results"]]


def main():
    message = to_structured_event(made(11))
    require(begun(*post("/v1/events", message.headers, message.body)) == [1], "a structured event begins a run")
    status, answer = post("/v1/events", message.headers, message.body)
    require(status == 202 and answer["results"][0]["duplicate"], f"the same event is known: {answer}")

    message = to_binary_event(made(12))
    require(begun(*post("/v1/events", message.headers, message.body)) == [1], "a binary event begins a run")
    status, answer = post("/v1/events", message.headers, message.body)
    require(answer["results"][0]["duplicate"], f"the same binary event is known: {answer}")

    batch = [json.loads(to_structured_event(made(number)).body) for number in (1, 13, 14)]
    headers = {"content-type": "application/cloudevents-batch+json"}
    counts = begun(*post("/v1/events", headers, json.dumps(batch).encode()))
    require(counts == [0, 1, 1], f"of a batch those that the filter lets pass begin runs: {counts}")

    body, now = json.dumps({"type": "order.paid", "amount": 15}), datetime.now(tz=timezone.utc)

    def call(secret, sent, signed=body):
        stamp = str(int(now.timestamp()))
        signature = Webhook(secret).sign("msg_1", now, signed)
        headers = {"webhook-id": "msg_1", "webhook-timestamp": stamp, "webhook-signature": signature}
        return post("/v1/webhooks/shop", headers | {"content-type": "application/json"}, sent.encode())

    for name, outcome in (
        ("a wrong secret", call("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", body)),
        ("a changed body", call(SECRET, body.replace("15", "16"))),
    ):
        require(outcome[0] == 401 and outcome[1]["error_code"] == "WEBHOOK_SIGNATURE_INVALID", f"{name}: {outcome}")
    require(begun(*call(SECRET, body)) == [1], "a signed call begins a run")
    print("cloudevents: structured, binary and batched events and a signed webhook were taken; bad signatures were not")


main()
