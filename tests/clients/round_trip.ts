// Submit, wait, list with the types that openapi-typescript wrote.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { env: Record<string, string | undefined> };

function check(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

const client = createClient<paths>({ baseUrl: process.env.MAINSPRING_SERVER });

const { data: accepted, error: refused } = await client.POST("/v1/tasks", {
  body: { task_type: "wait", payload: { for_ms: 300 }, labels: { client: "typescript" }, timeout_ms: 30_000 },
});
check(accepted !== undefined && "task_id" in accepted, refused);

const began = Date.now();
const { data: task, error: unread } = await client.GET("/v1/tasks/{id}", {
  params: { path: { id: accepted.task_id }, query: { wait: "30s" } },
});
check(task !== undefined, unread);
check(task.state === "succeeded", task);
check(Date.now() - began < 25_000, "the long poll did not answer when the task had ended");

const { data: page, error: unlisted } = await client.GET("/v1/tasks", {
  params: { query: { label: "client=typescript" } },
});
check(page !== undefined, unlisted);
check(page.tasks.length === 1 && page.tasks[0]?.task_id === accepted.task_id, page);

const { error: missing } = await client.GET("/v1/tasks/{id}", {
  params: { path: { id: "task_00000000000000000000000000000000" } },
});
check(missing?.error_code === "TASK_NOT_FOUND", missing);
console.log("typescript: submitted, waited, listed");
