import type * as Tasks from "../tasks.js";

const task: Tasks.Task = {
  TaskId: "6f1c2d3e-4b5a-4c7d-8e9f-0a1b2c3d4e5f",
  Title: "Paint the fence",
  Status: "OPEN",
  Priority: "MEDIUM",
  CreatedBy: "grace",
  CreatedAt: 1706695200,
  UpdatedAt: 1706695200,
  Revision: 1,
};

const closed: Tasks.Task = {
  ...task,
  Description: "White, two coats.",
  Status: "CLOSED",
  Priority: "HIGH",
  UpdatedBy: "grace",
  ClosedBy: "grace",
  ClosedAt: 1706781600,
};

const user: Tasks.User = {
  UserId: "tom",
  Email: "tom@example.com",
  Name: "Tom Sawyer",
  UserStatus: "ACTIVE",
  Groups: ["Admins", "Members"],
  CreatedAt: 1706695200,
  UpdatedAt: 1706695200,
};

const assignment: Tasks.Assignment = {
  TaskId: task.TaskId,
  UserId: user.UserId,
  AssignedBy: "grace",
  AssignedAt: 1706695200,
};

export const tasks = {
  Task: [task, closed] satisfies Tasks.Task[],
  User: [user, { ...user, UserStatus: "DEACTIVATED", Groups: ["Members"] }] satisfies Tasks.User[],
  Assignment: [assignment] satisfies Tasks.Assignment[],
  Idempotency: [
    {
      UserId: user.UserId,
      Route: "POST /tasks",
      RequestId: "c0ffee",
      RequestHash: "f".repeat(64),
      ResponseData: "",
      HttpStatusCode: 204,
      CreatedAt: 1706695200,
      ExpiresAt: 1706781600,
    },
  ] satisfies Tasks.Idempotency[],
  MailRecord: [
    {
      EventId: "e-1",
      UserId: user.UserId,
      State: "FAILED",
      Attempts: 3,
      Signs: 4,
      Refusals: 2,
      ClaimedAt: 1706695200,
      Error: "550 no such mailbox",
      ExpiresAt: 1709287200,
    },
    {
      EventId: "e-2",
      UserId: user.UserId,
      State: "SENT",
      Attempts: 1,
      Signs: 1,
      Refusals: 0,
      ClaimedAt: 1706695200,
      SentAt: 1706695201,
      ExpiresAt: 1709287200,
    },
  ] satisfies Tasks.MailRecord[],
  WaitingMail: [
    {
      TaskId: task.TaskId,
      UserId: user.UserId,
      Sequence: "1".padStart(40, "0"),
      EventId: "e-1.TaskAssigned",
      News: "ASSIGNED",
      Actor: user.UserId,
      DueAt: 1706695200,
      ExpiresAt: 1709287200,
    },
  ] satisfies Tasks.WaitingMail[],
  UndeliveredMail: [
    {
      EventId: "e-2",
      UserId: user.UserId,
      Outcome: "UNSENT",
      Reason: "452 mailbox full",
      At: 1706695200,
      TaskId: task.TaskId,
      Sequence: "2".padStart(40, "0"),
      News: "IN_PROGRESS",
      ExpiresAt: 1709287200,
    },
    {
      EventId: "e-1",
      UserId: user.UserId,
      Outcome: "BOUNCED",
      Reason: "550 no such mailbox",
      At: 1706695200,
      ExpiresAt: 1709287200,
    },
  ] satisfies Tasks.UndeliveredMail[],
  PassedMail: [
    { Sender: "noreply@amalitech.com", At: 1706695200 },
  ] satisfies Tasks.PassedMail[],
  HistoryEntry: [
    {
      TaskId: task.TaskId,
      Sequence: "1".padStart(40, "0"),
      EventId: "e-1.TaskAssigned",
      Event: "TaskAssigned",
      Detail: { UserId: user.UserId, AssignedBy: "grace" },
      HappenedAt: 1706695200,
      ExpiresAt: 1738231200,
    },
  ] satisfies Tasks.HistoryEntry[],
  VersionedTask: [{ data: task, data_version: 1, last_write: 1706695200000 }] satisfies Tasks.VersionedTask[],
  VersionedUser: [{ data: user, data_version: 1, last_write: 1706695200000 }] satisfies Tasks.VersionedUser[],
  TasksEvent: [
    {
      type: "TaskCreated",
      detail: { TaskId: task.TaskId, CreatedBy: "grace", Title: task.Title, Priority: "LOW" },
    },
    { type: "TaskAssigned", detail: assignment },
    {
      type: "TaskStatusUpdated",
      detail: { TaskId: task.TaskId, NewStatus: "COMPLETED", PreviousStatus: "IN_PROGRESS", UpdatedAt: 1706695200, CreatedBy: "grace" },
    },
    { type: "TaskClosed", detail: { TaskId: task.TaskId, CreatedBy: "grace", ClosedBy: "grace", ClosedAt: 1706781600 } },
    { type: "TaskUnassigned", detail: { TaskId: task.TaskId, UserId: user.UserId, RemovedBy: "grace" } },
    { type: "TaskDeleted", detail: { TaskId: task.TaskId, DeletedBy: "grace" } },
  ] satisfies Tasks.TasksEvent[],
};
