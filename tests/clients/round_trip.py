"""Submit, wait, list with the client that openapi-python-client wrote."""

import os
import time

from mainspring_client import Client
from mainspring_client.api.tasks import get_task, list_tasks, submit_task
from mainspring_client.models import Accepted, Task, TaskBody, TaskPage
from mainspring_client.models.error import Error

client = Client(base_url=os.environ["MAINSPRING_SERVER"])

body = TaskBody.from_dict(
    {"task_type": "wait", "payload": {"for_ms": 300}, "labels": {"client": "python"}, "timeout_ms": 30_000}
)
accepted = submit_task.sync(client=client, body=body)
assert isinstance(accepted, Accepted), accepted

began = time.monotonic()
task = get_task.sync(accepted.task_id, client=client, wait="30s")
assert isinstance(task, Task), task
assert task.state == "succeeded", task
assert time.monotonic() - began < 25, "the long poll did not answer when the task had ended"

page = list_tasks.sync(client=client, label="client=python")
assert isinstance(page, TaskPage), page
assert [found.task_id for found in page.tasks] == [accepted.task_id], page

missing = get_task.sync("task_00000000000000000000000000000000", client=client)
assert isinstance(missing, Error), missing
assert missing.error_code == "TASK_NOT_FOUND", missing
print("python: submitted, waited, listed")
