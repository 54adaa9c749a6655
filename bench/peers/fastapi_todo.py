"""Three routes of the To-Do API in FastAPI with boto3: one task, a page of tasks, a new task with its counts.

The table, its keys, its counts and the answers are those of the To-Do service, and so are the checks: the token's signature, issuer, audience and
expiry, the lengths and values of every field, unknown fields refused. boto3 blocks, so the routes are plain functions, which FastAPI runs on threads.
A token that was checked is known until it expires, as in the service.

    ENDPOINT=http://127.0.0.1:8000 JWKS='{"keys":[…]}' uvicorn fastapi_todo:app --workers 2
"""

import base64
import json
import os
import time
from datetime import date
from enum import Enum
from typing import Annotated, Literal

import boto3
import jwt
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.config import Config
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field

TABLE = "todo-app-data"
KEY = jwt.PyJWK(json.loads(os.environ["JWKS"])["keys"][0]).key
DYNAMODB = boto3.client(
    "dynamodb",
    endpoint_url=os.environ["ENDPOINT"],
    region_name="eu-central-1",
    aws_access_key_id="local",
    aws_secret_access_key="local",
    # A connection for each of FastAPI's threads.
    config=Config(max_pool_connections=40),
)
to_item = TypeSerializer().serialize
from_item = TypeDeserializer().deserialize
app = FastAPI()
RANKS = {"low": 0, "medium": 1, "high": 2, "urgent": 3}
KNOWN: dict[str, tuple[str, float]] = {}


class Priority(str, Enum):
    low = "low"
    medium = "medium"
    high = "high"
    urgent = "urgent"


class NewTask(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(max_length=1000)] | None = None
    status: Literal["pending", "in_progress", "completed", "cancelled"] = "pending"
    priority: Priority | None = None
    category: Annotated[str, Field(min_length=1, max_length=50)] | None = None
    due_date: date | None = None


def caller(authorization: Annotated[str, Header()] = "") -> str:
    scheme, _, token = authorization.partition(" ")
    known = KNOWN.get(token)
    if known and known[1] > time.time():
        return known[0]
    try:
        if scheme.lower() != "bearer":
            raise jwt.InvalidTokenError("no bearer token")
        claims = jwt.decode(token, KEY, algorithms=["EdDSA"], audience="tablewright", issuer="urn:tablewright:development")
    except jwt.InvalidTokenError as wrong:
        raise HTTPException(401, str(wrong)) from wrong
    if len(KNOWN) > 10_000:
        KNOWN.clear()
    KNOWN[token] = (claims["sub"], claims["exp"])
    return claims["sub"]


Caller = Annotated[str, Depends(caller)]
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid() -> str:
    number = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
    return "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def view(item: dict) -> dict:
    task = {name: from_item(value) for name, value in item.items()}
    whole = lambda name: None if task.get(name) is None else int(task[name])
    return {
        "task_id": task["task_id"], "title": task["title"], "description": task.get("description"), "status": task["status"],
        "priority": task.get("priority"), "category": task.get("category"), "due_date": task.get("due_date"),
        "created_at": whole("created_at"), "updated_at": whole("updated_at"), "completed_at": whole("completed_at"), "expires_at": whole("ttl"),
    }


def stored(user: str, new: NewTask) -> dict:
    now, task_id, owner = int(time.time()), ulid(), f"USER#{user}"
    item = {
        "PK": f"TASK#{user}", "SK": f"TASK#{task_id}", "Type": "Task", "user_id": user, "task_id": task_id, "title": new.title,
        "description": new.description, "status": new.status, "priority": new.priority and new.priority.value, "category": new.category,
        "due_date": new.due_date and new.due_date.isoformat(), "created_at": now, "updated_at": now,
        "completed_at": now if new.status == "completed" else None, "revision": 1, "data_version": 1, "last_write": now * 1000,
        "GSI1PK": owner, "GSI1SK": f"STATUS#{new.status}#{task_id}",
    }
    if new.due_date:
        item |= {"GSI2PK": owner, "GSI2SK": f"DUEDATE#{item['due_date']}#{task_id}"}
        if new.status in ("pending", "in_progress"):
            item |= {"GSI5PK": owner, "GSI5SK": f"OPENDUE#{item['due_date']}#{task_id}"}
    if new.priority:
        item |= {"GSI3PK": owner, "GSI3SK": f"PRIORITY#{RANKS[item['priority']]}#{task_id}"}
    if new.category:
        item |= {"GSI4PK": owner, "GSI4SK": f"CATEGORY#{new.category}#{task_id}"}
    return {name: to_item(value) for name, value in item.items() if value is not None}


def counted(user: str, new: NewTask) -> dict:
    names = {"#total": "total", "#status": f"by_status_{new.status}", "#type": "Type"}
    counts = ["#total", "#status"]
    if new.priority:
        names["#priority"] = f"by_priority_{new.priority.value}"
        counts.append("#priority")
    sets = [f"{name} = if_not_exists({name}, :zero) + :one" for name in counts]
    sets += ["#type = if_not_exists(#type, :type)", "user_id = if_not_exists(user_id, :user)"]
    return {
        "TableName": TABLE, "Key": {"PK": to_item(f"USER#{user}"), "SK": to_item("COUNTS")}, "UpdateExpression": "SET " + ", ".join(sets),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": {":zero": to_item(0), ":one": to_item(1), ":type": to_item("TaskCounts"), ":user": to_item(user)},
    }


@app.post("/api/v1/tasks", status_code=201)
def create(new: NewTask, user: Caller, response: Response) -> dict:
    item = stored(user, new)
    put = {"TableName": TABLE, "Item": item, "ConditionExpression": "attribute_not_exists(PK)"}
    DYNAMODB.transact_write_items(TransactItems=[{"Put": put}, {"Update": counted(user, new)}])
    task = view(item)
    response.headers["location"] = f"/api/v1/tasks/{task['task_id']}"
    return task


@app.get("/api/v1/tasks/{task_id}")
def one(task_id: str, user: Caller) -> dict:
    key = {"PK": to_item(f"TASK#{user}"), "SK": to_item(f"TASK#{task_id}")}
    item = DYNAMODB.get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item")
    if item is None or int(item.get("ttl", {"N": "9" * 12})["N"]) <= time.time():
        raise HTTPException(404, "there is no such task")
    return view(item)


@app.get("/api/v1/tasks")
def page(user: Caller, limit: Annotated[int, Query(ge=1, le=100)] = 20, cursor: str | None = None) -> dict:
    asked = {
        "TableName": TABLE, "KeyConditionExpression": "PK = :pk AND begins_with(SK, :sk)", "ScanIndexForward": False, "Limit": limit,
        "FilterExpression": "attribute_not_exists(#ttl) OR #ttl > :now", "ExpressionAttributeNames": {"#ttl": "ttl"},
        "ExpressionAttributeValues": {":pk": to_item(f"TASK#{user}"), ":sk": to_item("TASK#"), ":now": to_item(int(time.time()))},
    }
    if cursor:
        asked["ExclusiveStartKey"] = json.loads(base64.urlsafe_b64decode(cursor))
    found = DYNAMODB.query(**asked)
    last = found.get("LastEvaluatedKey")
    return {
        "items": [view(item) for item in found["Items"]],
        "next_cursor": last and base64.urlsafe_b64encode(json.dumps(last).encode()).decode(),
    }
