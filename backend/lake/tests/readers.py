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

# ── The tables of Glue ───────────────────────────────────────────────────────

GLUE = {"string": "string", "int64": "bigint", "date32[day]": "date", "timestamp[ms, tz=UTC]": "timestamp", "timestamp[us, tz=UTC]": "timestamp"}
resources = json.load(open("infrastructure/models/todo.lake.template.json"))["Resources"].values()
glue = {one["Properties"]["TableInput"]["Name"]: one["Properties"]["TableInput"] for one in resources if one["Type"] == "AWS::Glue::Table"}
for name, where in [("bronze", "bronze/entity=Task"), ("silver_task", "silver/Task"), ("silver_task_counts", "silver/TaskCounts")]:
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
print(f"   {len(tasks)} tasks, {changes} changes and every type are the same for DuckDB {duckdb.__version__} and pyarrow")
