"""Reads a lake with DuckDB and with pyarrow, which share no code with what wrote it, and compares it with what the tables have."""

import datetime
import json
import sys

import duckdb
import pyarrow.dataset as ds

folder = sys.argv[1]
expected = json.load(open(f"{folder}/expected.json"))
tasks = {task["task_id"]: task for task in expected["tasks"]}
assert len(tasks) == 900, len(tasks)
UTC = datetime.timezone.utc


def same(found, wanted, what):
    assert found == wanted, f"{what}: {found!r}, and the table has {wanted!r}"


# ── Silver, the tasks as they are ────────────────────────────────────────────

silver = f"'{folder}/todo/silver/Task/*.parquet'"
columns = dict((row[0], row[1]) for row in duckdb.sql(f"DESCRIBE SELECT * FROM {silver}").fetchall())
same(
    columns,
    {
        "user_id": "VARCHAR", "task_id": "VARCHAR", "title": "VARCHAR", "description": "VARCHAR", "status": "VARCHAR",
        "priority": "VARCHAR", "category": "VARCHAR", "due_date": "DATE", "created_at": "TIMESTAMP WITH TIME ZONE",
        "updated_at": "TIMESTAMP WITH TIME ZONE", "completed_at": "TIMESTAMP WITH TIME ZONE", "ttl": "TIMESTAMP WITH TIME ZONE",
        "revision": "BIGINT", "_key": "VARCHAR", "_last_write": "TIMESTAMP WITH TIME ZONE", "_unreadable": "VARCHAR",
    },
    "the columns in DuckDB",
)
rows = duckdb.sql(
    f"""SELECT task_id, user_id, title, description, status, priority, category, due_date::VARCHAR, revision,
    epoch_ms(created_at) // 1000, epoch_ms(completed_at) // 1000, _unreadable FROM {silver}"""
).fetchall()
same(len(rows), len(tasks), "rows in DuckDB")
names = ["task_id", "user_id", "title", "description", "status", "priority", "category", "due_date", "revision", "created_at", "completed_at"]
for row in rows:
    task = tasks[row[0]]
    same(list(row[:11]), [task.get(name) for name in names], "a task in DuckDB")
    same(row[11], None, "why it cannot be read")

table = ds.dataset(f"{folder}/todo/silver/Task").to_table()
same(table.num_rows, len(tasks), "rows in pyarrow")
same(str(table.schema.field("due_date").type), "date32[day]", "the type of due_date in pyarrow")
same(str(table.schema.field("created_at").type), "timestamp[ms, tz=UTC]", "the type of created_at in pyarrow")
for row in table.to_pylist():
    task = tasks[row["task_id"]]
    for name in ["user_id", "title", "description", "status", "priority", "category", "revision"]:
        same(row[name], task.get(name), f"{name} in pyarrow")
    due = row["due_date"] and row["due_date"].isoformat()
    same(due, task.get("due_date"), "due_date in pyarrow")
    same(row["created_at"], datetime.datetime.fromtimestamp(task["created_at"], UTC), "created_at in pyarrow")

# ── Bronze, with its partitions ──────────────────────────────────────────────

bronze = f"read_parquet('{folder}/todo/bronze/**/*.parquet', hive_partitioning = true)"
# 1000 inserts, 100 changes, 100 removals, and the counts that follow inserts and removals.
kinds = dict(duckdb.sql(f"SELECT kind, count(*) FROM {bronze} WHERE entity = 'Task' GROUP BY kind").fetchall())
same(kinds, {"INSERT": 1000, "MODIFY": 100, "REMOVE": 100}, "changes of tasks in DuckDB")
(changes, events, sequences), = duckdb.sql(f"SELECT count(*), count(DISTINCT event_id), count(DISTINCT sequence) FROM {bronze}").fetchall()
same((changes, events, sequences), (2300, 2300, 2300), "changes in DuckDB, each once")
renamed = duckdb.sql(f"SELECT count(*) FROM {bronze} WHERE kind = 'MODIFY' AND json_extract_string(after, '$.title.S') LIKE 'größer%' AND entity = 'Task'").fetchall()
same(renamed, [(100,)], "what changed, in the JSON of the images")
# What silver has is the last image of each key, by the order of the texts.
replayed = duckdb.sql(
    f"""SELECT count(*) FROM (SELECT key, arg_max(kind, sequence) AS last FROM {bronze} WHERE entity = 'Task' GROUP BY key) WHERE last != 'REMOVE'"""
).fetchall()
same(replayed, [(len(tasks),)], "bronze, played again")

table = ds.dataset(f"{folder}/todo/bronze", partitioning="hive").to_table()
same(table.num_rows, 2300, "changes in pyarrow")
same(sorted(set(table.column("entity").to_pylist())), ["Task", "TaskCounts"], "entities in pyarrow")
assert "date" in table.column_names

# ── Gold, added up from the changes ──────────────────────────────────────────

# What each task was last, also those that are gone: the image after its last change, or before its removal.
day = lambda seconds: datetime.datetime.fromtimestamp(seconds, UTC).date()
last = duckdb.sql(
    f"""SELECT json_extract_string(image, '$.user_id.S'), json_extract_string(image, '$.category.S'),
    json_extract_string(image, '$.created_at.N')::BIGINT, json_extract_string(image, '$.completed_at.N')::BIGINT
    FROM (SELECT arg_max(coalesce(after, before), sequence) AS image FROM {bronze} WHERE entity = 'Task' GROUP BY key)"""
).fetchall()
same(len(last), 1000, "tasks there ever were")
per_day, completion = {}, {}
for user, category, created_at, completed_at in last:
    per_day.setdefault((user, day(created_at)), [0, 0, 0])[0] += 1
    sums = completion.setdefault((user, category), [0, 0, 0])
    sums[0] += 1
    if completed_at is not None:
        done = per_day.setdefault((user, day(completed_at)), [0, 0, 0])
        for counted in (done, sums):
            counted[1] += 1
            counted[2] += completed_at - created_at
average = lambda seconds, done: seconds / done if done else None
per_day = {key: (created, done, average(seconds, done)) for key, (created, done, seconds) in per_day.items()}
completion = {key: (many, done, done / many, average(seconds, done)) for key, (many, done, seconds) in completion.items()}

gold = lambda table: f"'{folder}/todo/gold/{table}/*.parquet'"
rows = duckdb.sql(f"SELECT user_id, day, created, completed, seconds_to_complete FROM {gold('tasks_per_day')}").fetchall()
same({(user, on): tuple(rest) for user, on, *rest in rows}, per_day, "tasks per user and day in DuckDB")
rows = duckdb.sql(f"SELECT user_id, category, tasks, completed, rate, seconds_to_complete FROM {gold('completion')}").fetchall()
same({(user, category): tuple(rest) for user, category, *rest in rows}, completion, "completion by user and category in DuckDB")
rows = duckdb.sql(f"SELECT user_id, day, tasks FROM {gold('overdue')}").fetchall()
# Each day keeps its own: the last is of the tasks as they are.
today = max((on for _, on, _ in rows), default=datetime.datetime.now(UTC).date())
overdue = {}
for task in tasks.values():
    if task["status"] in ("pending", "in_progress") and (task.get("due_date") or "9999") < today.isoformat():
        overdue[task["user_id"]] = overdue.get(task["user_id"], 0) + 1
same({user: many for user, on, many in rows if on == today}, overdue, "overdue tasks in DuckDB")
(most,), = duckdb.sql(f"SELECT max(users) FROM {gold('active_users')}").fetchall()
same(most, 7, "active users in DuckDB")
for name in ["tasks_per_day", "completion", "overdue", "active_users"]:
    table = ds.dataset(f"{folder}/todo/gold/{name}").to_table()
    (many,), = duckdb.sql(f"SELECT count(*) FROM {gold(name)}").fetchall()
    same(table.num_rows, many, f"rows of {name} in pyarrow")
    for piece in ds.dataset(f"{folder}/todo/gold/{name}").files if "user_id" in table.column_names else []:
        users = ds.dataset(piece).to_table().column("user_id").to_pylist()
        same(users, sorted(users), f"the order of {name}, by which one user is found")

# ── The tables of Glue ───────────────────────────────────────────────────────

GLUE = {"string": "string", "int64": "bigint", "double": "double", "date32[day]": "date", "timestamp[ms, tz=UTC]": "timestamp", "timestamp[us, tz=UTC]": "timestamp"}
resources = json.load(open("infrastructure/models/todo.lake.template.json"))["Resources"].values()
glue = {one["Properties"]["TableInput"]["Name"]: one["Properties"]["TableInput"] for one in resources if one["Type"] == "AWS::Glue::Table"}
for name, where in [("bronze", "bronze/entity=Task"), ("silver_task", "silver/Task"), ("silver_task_counts", "silver/TaskCounts"),
    ("gold_tasks_per_day", "gold/tasks_per_day"), ("gold_completion", "gold/completion"), ("gold_overdue", "gold/overdue"), ("gold_active_users", "gold/active_users")]:
    files = ds.dataset(f"{folder}/todo/{where}").schema
    told = [(column["Name"], column["Type"]) for column in glue[name]["StorageDescriptor"]["Columns"]]
    same(told, [(field.name, GLUE[str(field.type)]) for field in files], f"the columns of {name} in Glue")
same([key["Name"] for key in glue["bronze"]["PartitionKeys"]], ["entity", "date"], "the partitions of bronze in Glue")

# ── Every type ───────────────────────────────────────────────────────────────

every = expected["all"]
(full, empty) = sorted(ds.dataset(f"{folder}/all/silver/All").to_table().to_pylist(), key=lambda row: row["id"])
for name in ["flag", "whole", "price", "list", "place"]:
    same(full[name], every[name], f"{name} in pyarrow")
same(full["day"], datetime.date(2026, 11, 15), "day")
same(full["at"], datetime.datetime(2026, 11, 15, 1, 2, 3, 4000, UTC), "at")
same(full["exactly"], datetime.datetime(2026, 11, 15, 1, 2, 3, 4, UTC), "exactly")
same(full["seconds"], datetime.datetime.fromtimestamp(1_700_000_000, UTC), "seconds")
same(full["bytes"], bytes(every["bytes"]), "bytes")
same(full["set"], sorted(every["set"]), "set")
same(dict(full["map"]), every["map"], "map")
same(json.loads(full["anything"]), every["anything"], "anything")
same([name for name, value in empty.items() if value is not None], ["id", "_key"], "what an item has that lacks everything")
(row,) = duckdb.sql(
    f"""SELECT flag, whole, price, day::VARCHAR, epoch_us(exactly) % 1000000, list, "set", map_extract_value("map", 'b'), place.city, place.stops[1]
    FROM '{folder}/all/silver/All/*.parquet' WHERE id = '1'"""
).fetchall()
same(
    list(row),
    [True, every["whole"], every["price"], "2026-11-15", 4, [1, 2], ["a", "b"], 2, "Bern", "x"],
    "an item with every type in DuckDB",
)
print(f"   {len(tasks)} tasks, {changes} changes, what gold adds up and every type are the same for DuckDB {duckdb.__version__} and pyarrow")
