// Values a person typed, held against the Rust types by `shapes read`.

import type * as Todo from "../todo.js";

const user: Todo.User = {
  user_id: "5c2b7f0e",
  email: "ada@example.com",
  name: "Ada Lovelace",
  created_at: 1706695200,
  updated_at: 1706781600,
  revision: 2,
};

const task: Todo.Task = {
  user_id: user.user_id,
  task_id: "01HNF0Q7ZJ8W3X5Y7Z9A1B3C5D",
  title: "Write the notes",
  status: "in_progress",
  created_at: 1706695200,
  updated_at: 1706695200,
  revision: 1,
};

const urgent: Todo.Task = {
  ...task,
  task_id: "01HNF0Q7ZJ8W3X5Y7Z9A1B3C5E",
  description: "All of them, with \"quotes\" and a # sign.",
  status: "completed",
  priority: "urgent",
  category: "deep work",
  due_date: "2024-02-29",
  completed_at: 1706781600,
  ttl: 1709373600,
};

export const todo = {
  User: [user] satisfies Todo.User[],
  Task: [task, urgent] satisfies Todo.Task[],
  TaskCounts: [
    {
      user_id: user.user_id,
      total: 2,
      by_status_pending: 0,
      by_status_in_progress: 1,
      by_status_completed: 1,
      by_status_cancelled: 0,
      by_priority_low: 0,
      by_priority_medium: 0,
      by_priority_high: 0,
      by_priority_urgent: 1,
    },
  ] satisfies Todo.TaskCounts[],
  Idempotency: [
    {
      user_id: user.user_id,
      route: "POST /tasks",
      request_id: "c0ffee",
      request_hash: "0".repeat(64),
      response_data: "{}",
      http_status_code: 201,
      created_at: 1706695200,
      ttl: 1706781600,
    },
    {
      user_id: user.user_id,
      route: "POST /tasks/bulk/status",
      request_id: "begun",
      request_hash: "1".repeat(64),
      created_at: 1706695200,
      ttl: 1706781600,
    },
  ] satisfies Todo.Idempotency[],
  VersionedUser: [{ data: user, data_version: 1, last_write: 1706695200000 }] satisfies Todo.VersionedUser[],
  VersionedTask: [{ data: urgent, data_version: 1, last_write: 1706695200001 }] satisfies Todo.VersionedTask[],
  TodoEvent: [
    {
      type: "TaskCompleted",
      detail: { user_id: user.user_id, task_id: task.task_id, completed_at: 1706781600 },
    },
    { type: "TaskCompleted", detail: { user_id: user.user_id, task_id: task.task_id } },
  ] satisfies Todo.TodoEvent[],
};
