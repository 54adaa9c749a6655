"""The same changes as DuckDB writes them: bronze, partitioned by entity and date, and silver, the latest of each item with typed columns.

    python duckdb_lake.py CHANGES.ndjson FOLDER
"""

import json
import resource
import sys
import time

import duckdb

changes, folder = sys.argv[1:]
database = duckdb.connect()
start = time.monotonic()
# DuckDB keeps images as JSON here, as bronze does; columns are named, so nothing is guessed from the data.
database.execute(f"""
    CREATE VIEW changes AS SELECT
        c.eventID AS event_id,
        lpad(c.dynamodb->>'SequenceNumber', 40, '0') AS sequence,
        'bench/stream/2026-11-15T00:00:00.000' AS stream, 'shardId-1' AS shard, 'INSERT' AS kind, 'request' AS cause,
        to_timestamp(CAST(c.dynamodb->>'ApproximateCreationDateTime' AS BIGINT)) AS happened,
        'todo-app-data' AS source,
        CAST(json_array(c.dynamodb->>'$.Keys.PK.S', c.dynamodb->>'$.Keys.SK.S') AS VARCHAR) AS key,
        CAST(NULL AS VARCHAR) AS before,
        CAST(c.dynamodb->'NewImage' AS VARCHAR) AS after,
        c.dynamodb->>'$.NewImage.Type.S' AS entity,
        CAST(CAST(to_timestamp(CAST(c.dynamodb->>'ApproximateCreationDateTime' AS BIGINT)) AS DATE) AS VARCHAR) AS date
    FROM read_json('{changes}', format = 'newline_delimited', columns = {{eventID: 'VARCHAR', dynamodb: 'JSON'}}) c
""")
database.execute(f"COPY (SELECT * FROM changes) TO '{folder}/bronze' (FORMAT parquet, COMPRESSION snappy, PARTITION_BY (entity, date))")
bronze = time.monotonic() - start

start = time.monotonic()
text = lambda name: f"json_extract_string(after, '$.{name}.S') AS {name}"
number = lambda name: f"CAST(json_extract_string(after, '$.{name}.N') AS BIGINT) AS {name}"
moment = lambda name: f"to_timestamp(CAST(json_extract_string(after, '$.{name}.N') AS BIGINT)) AS {name}"
day = lambda name: f"CAST(json_extract_string(after, '$.{name}.S') AS DATE) AS {name}"
columns = ", ".join([
    text("user_id"), text("task_id"), text("title"), text("description"), text("status"), text("priority"), text("category"), day("due_date"),
    moment("created_at"), moment("updated_at"), moment("completed_at"), moment("ttl"), number("revision"), "key AS _key",
    "make_timestamp(CAST(json_extract_string(after, '$.last_write.N') AS BIGINT) * 1000) AS _last_write",
])
database.execute(f"""
    COPY (
        SELECT {columns} FROM read_parquet('{folder}/bronze/**/*.parquet')
        QUALIFY row_number() OVER (PARTITION BY key ORDER BY sequence DESC) = 1
    ) TO '{folder}/silver.parquet' (FORMAT parquet, COMPRESSION snappy)
""")
silver = time.monotonic() - start
rows = database.execute(f"SELECT count(*) FROM '{folder}/silver.parquet'").fetchone()[0]
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"bronze": bronze, "silver": silver, "rows": rows, "processor": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss // 1024}))
