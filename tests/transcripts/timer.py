"""The contract of the timer service (A2, A21), by plain curl."""

import datetime
import http.server
import pathlib
import threading

from transcript import Transcript, Wrong

ABOUT = """
What a client of a timer service sees: tasks are accepted with a time, read, changed until they start, cancelled; each error has a code
and the id. Words of `status` are those of such services, `state` is Mainspring's own. Times are RFC 3339, or unix seconds for who asks.
"""


def story():
    story = Transcript("The timer contract, by curl", ABOUT)
    try:
        tell(story)
    except BaseException:
        story.__exit__()
        raise
    return story


class Hooks(http.server.BaseHTTPRequestHandler):
    """The service that is called: `/hook` takes everything, `/down` nothing."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.came.append((self.path, body.decode()))
        self.send_response(200 if self.path == "/hook" else 503)
        self.end_headers()

    def log_message(self, *_):
        pass


def tell(story):
    hooks = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hooks)
    hooks.came = []
    threading.Thread(target=hooks.serve_forever, daemon=True).start()
    try:
        tell_with(story, hooks, f"127.0.0.1:{hooks.server_port}")
    finally:
        hooks.shutdown()
        hooks.server_close()


def tell_with(story, hooks, host):
    story.start(worker=["--allow", "127.0.0.1/32"])
    tasks = '"$MAINSPRING_SERVER"/v1/tasks'
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    at = soon.strftime("%Y-%m-%dT%H:%M:%SZ")
    later = int(soon.timestamp()) + 3600

    story.say("A call to a URL in an hour. It is accepted with 202 and an id.")
    payload = '{"method": "POST", "url": "http://HOST/hook", "body": "an order"}'.replace("HOST", host)
    body = f"""'{{"task_type": "http", "payload": {payload}, "scheduled_at": "{at}"}}'"""
    accepted = story.curl(202, f"{tasks} --json {body}", lambda said: said["status"] == "PENDING")
    one = f'{tasks}/{accepted["task_id"]}'

    story.say("It is read with its history, and with unix seconds for a client that wants them.")
    fields = {"status", "retry_count", "created_at", "updated_at", "scheduled_at", "attempts"}
    story.curl(200, one, lambda said: fields - {"attempts"} <= said.keys())
    story.curl(200, f"{one} -H 'Prefer: times=unix'", lambda said: isinstance(said["scheduled_at"], int))

    story.say("Until it starts, its time and its payload can be changed.")
    story.curl(200, f"-X PATCH {one} --json '{{\"scheduled_at\": {later}}}'")
    story.curl(200, f"{one} -H 'Prefer: times=unix'", lambda said: said["scheduled_at"] == later)
    changed = payload.replace("an order", "a changed order")
    story.curl(200, f"""-X PATCH {one} --json '{{"payload": {changed}}}'""")
    story.curl(200, one, lambda said: said["payload"]["body"] == "a changed order")

    story.say("When its time has come the URL is called, and the answer says so. The time stays readable.")
    story.curl(200, f"""-X PATCH {one} --json '{{"delay_ms": 0}}'""")
    story.curl(200, f'"$MAINSPRING_SERVER/v1/tasks/{accepted["task_id"]}?wait=20s"',
               lambda said: said["status"] == "COMPLETED" and "scheduled_at" in said)
    if hooks.came != [("/hook", "a changed order")]:
        raise Wrong(f"other calls came: {hooks.came}")

    story.say("A URL that does not answer as it should: it is tried again, and the task says how often and what was wrong last.")
    down = f'{{"method": "POST", "url": "http://{host}/down", "body": "an order"}}'
    retry = '"retry_policy": {"max_retries": 1, "backoff": "fixed", "initial_delay_ms": 200}'
    body = f"""'{{"task_type": "webhook", "payload": {down}, {retry}}}'"""
    failing = story.curl(202, f"{tasks} --json {body}")
    story.curl(200, f'"$MAINSPRING_SERVER/v1/tasks/{failing["task_id"]}?wait=20s"',
               lambda said: said["status"] == "FAILED" and said["retry_count"] == 1 and said["last_error"]["code"] == 503)

    story.say("Another one in an hour. Cancelled, it says when. A second time it has ended already: 409.")
    body = f"""'{{"task_type": "http", "payload": {payload}, "scheduled_at": "{at}"}}'"""
    accepted = story.curl(202, f"{tasks} --json {body}")
    one = f'{tasks}/{accepted["task_id"]}'
    story.curl(200, f"-X DELETE {one}", lambda said: said["status"] == "CANCELED" and said["canceled_at"])
    story.curl(409, f"-X DELETE {one}", lambda said: said["error_code"] == "TASK_ALREADY_ENDED")
    for status in ["CANCELED", "CANCELLED"]:
        query = f'"$MAINSPRING_SERVER/v1/tasks?status={status}&limit=1"'
        story.curl(200, query, lambda said: said["tasks"][0]["task_id"] == accepted["task_id"])

    story.say("What is not there, and what cannot be taken.")
    missing = "task_00000000000070008000000000000000"
    story.curl(404, f"{tasks}/{missing}", lambda said: said["error_code"] == "TASK_NOT_FOUND" and said["task_id"] == missing)
    story.curl(400, f"""{tasks} --json '{{"task_type": "http"}}'""", lambda said: said["error_code"] == "INVALID_FIELD")

    story.say("A running task: 409 for who would cancel or change it, with its id; its end is awaited, its time stays readable.")
    runs = pathlib.Path(story.dir / "runs")
    body = f"""'{{"task_type": "process", "payload": {{"argv": ["sh", "-c", "touch runs; while test -e runs; do sleep 0.05; done"]}}, "delay_ms": 300}}'"""
    running = story.curl(202, f"{tasks} --json {body.replace('runs', str(runs))}")
    one = f'{tasks}/{running["task_id"]}'
    story.quiet(f"until test -e {runs}; do sleep 0.05; done; until curl -s {one} | grep -q RUNNING; do sleep 0.05; done")
    story.curl(409, f"-X DELETE {one}", lambda said: said["error_code"] == "TASK_ALREADY_RUNNING" and said["task_id"] == running["task_id"])
    story.curl(409, f"-X PATCH {one} --json '{{\"delay_ms\": 5000}}'", lambda said: said["error_code"] == "TASK_ALREADY_RUNNING")
    runs.unlink()
    story.curl(200, f'"$MAINSPRING_SERVER/v1/tasks/{running["task_id"]}?wait=20s"',
               lambda said: said["status"] == "COMPLETED" and "scheduled_at" in said)

    story.say("A task that recurs: one id for reading, changing and cancelling it.")
    body = """'{"task_type": "noop", "cron": "0 3 * * *", "timezone": "Europe/Berlin", "name": "backup"}'"""
    recurring = story.curl(202, f"{tasks} --json {body}", lambda said: said["status"] == "PENDING")
    one = f'{tasks}/{recurring["task_id"]}'
    story.curl(200, one, lambda said: said["task_id"] == recurring["task_id"])
    story.curl(200, f"""-X PATCH {one} --json '{{"cron": "30 4 * * *"}}'""")
    story.curl(200, f"{one} -H 'Prefer: times=unix'", lambda said: isinstance(said["scheduled_at"], int))
    story.curl(200, f"-X DELETE {one}", lambda said: said["status"] == "CANCELED")
    story.curl(200, one, lambda said: said["status"] == "CANCELED")
