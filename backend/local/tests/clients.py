"""The clients people use, against `tablewright local`: boto3, the AWS command line, and the examples of docs/local.md.

usage: clients.py URL FOLDER

FOLDER has the packages that JavaScript needs.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import boto3
from boto3.dynamodb.conditions import Key
from botocore.config import Config
from botocore.exceptions import ClientError

URL, PACKAGES = sys.argv[1:]
TABLE = "orders"

os.environ.update(
    AWS_ACCESS_KEY_ID="local",
    AWS_SECRET_ACCESS_KEY="local",
    AWS_DEFAULT_REGION="us-east-1",
    # What this machine is configured for is not looked at.
    AWS_CONFIG_FILE=os.devnull,
    AWS_SHARED_CREDENTIALS_FILE=os.devnull,
    AWS_PAGER="",
)


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}\n  expected {wanted!r}\n  got      {got!r}")


def refused(what, code, call):
    try:
        call()
    except ClientError as error:
        expect(what, error.response["Error"]["Code"], code)
    else:
        sys.exit(f"{what}\n  expected {code}, and it was not refused")


def aws(*words):
    """The AWS command line, and the JSON it prints."""
    program = pathlib.Path(sys.executable).with_name("aws")
    command = [program, *words, "--endpoint-url", URL, "--output", "json"]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"aws {' '.join(words)}\n{ran.stderr.strip()}")
    return json.loads(ran.stdout or "null")


def config():
    # A retry would hide a wrong checksum.
    return Config(retries={"total_max_attempts": 1})


def with_boto3():
    dynamodb = boto3.resource("dynamodb", endpoint_url=URL, config=config())
    table = dynamodb.create_table(
        TableName=TABLE,
        KeySchema=[
            {"AttributeName": "customer", "KeyType": "HASH"},
            {"AttributeName": "order", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("customer", "order", "status")
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-status",
                "KeySchema": [
                    {"AttributeName": "status", "KeyType": "HASH"},
                    {"AttributeName": "order", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    table.wait_until_exists()
    with table.batch_writer() as batch:
        for number in range(30):
            status = "open" if number % 3 else "paid"
            batch.put_item(Item={"customer": "ann", "order": f"{number:03}", "status": status, "tags": {"a", "b"}})

    paid = table.query(IndexName="by-status", KeyConditionExpression=Key("status").eq("paid"))
    expect("a query of the index", paid["Count"], 10)
    item = table.get_item(Key={"customer": "ann", "order": "000"})["Item"]
    expect("an item", item, {"customer": "ann", "order": "000", "status": "paid", "tags": {"a", "b"}})
    refused(
        "a condition that fails",
        "ConditionalCheckFailedException",
        lambda: table.put_item(Item=item, ConditionExpression="attribute_not_exists(customer)"),
    )
    refused(
        "an operation that is not there",
        "UnknownOperationException",
        lambda: dynamodb.meta.client.describe_limits(),
    )

    streams = boto3.client("dynamodbstreams", endpoint_url=URL, config=config())
    arn = streams.list_streams(TableName=TABLE)["Streams"][0]["StreamArn"]
    expect("the stream of the table", arn, table.latest_stream_arn)
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    records = streams.get_records(ShardIterator=iterator)["Records"]
    expect("the records of the stream", [record["eventName"] for record in records], ["INSERT"] * 30)
    expect("the first of them", records[0]["dynamodb"]["Keys"], {"customer": {"S": "ann"}, "order": {"S": "000"}})


def with_the_command_line():
    expect("the tables", aws("dynamodb", "list-tables"), {"TableNames": [TABLE]})
    item = {"customer": {"S": "bob"}, "order": {"S": "1"}, "status": {"S": "paid"}}
    aws("dynamodb", "put-item", "--table-name", TABLE, "--item", json.dumps(item))
    found = aws(
        "dynamodb", "query", "--table-name", TABLE,
        "--key-condition-expression", "customer = :bob",
        "--expression-attribute-values", '{":bob":{"S":"bob"}}',
    )  # fmt: skip
    expect("a query", found["Items"], [item])
    by_index = aws(
        "dynamodb", "query", "--table-name", TABLE, "--index-name", "by-status",
        "--key-condition-expression", "#status = :paid",
        "--expression-attribute-names", '{"#status":"status"}',
        "--expression-attribute-values", '{":paid":{"S":"paid"}}',
    )  # fmt: skip
    expect("a query of the index", by_index["Count"], 11)

    (stream,) = aws("dynamodbstreams", "list-streams")["Streams"]
    arn = stream["StreamArn"]
    (shard,) = aws("dynamodbstreams", "describe-stream", "--stream-arn", arn)["StreamDescription"]["Shards"]
    iterator = aws(
        "dynamodbstreams", "get-shard-iterator", "--stream-arn", arn,
        "--shard-id", shard["ShardId"], "--shard-iterator-type", "TRIM_HORIZON",
    )["ShardIterator"]  # fmt: skip
    records = aws("dynamodbstreams", "get-records", "--shard-iterator", iterator)["Records"]
    expect("the last record of the stream", records[-1]["dynamodb"]["NewImage"], item)
    aws("dynamodb", "delete-table", "--table-name", TABLE)
    expect("the streams of no table", aws("dynamodbstreams", "list-streams")["Streams"], [])


def examples_of_the_page():
    page = pathlib.Path("docs/local.md").read_text().replace("http://127.0.0.1:8000", URL)
    blocks = re.findall(r"^```(sh|python|js)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    expect("the languages of the examples", [language for language, _ in blocks], ["sh", "python", "js"])
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    # Packages are looked for where the program is.
    program = pathlib.Path(PACKAGES, "example.mjs")
    for language, text in blocks:
        program.write_text(text)
        commands = {"sh": ["sh", "-ec", text], "python": [sys.executable, "-c", text], "js": ["node", program]}
        command = commands[language]
        ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path})
        if ran.returncode:
            sys.exit(f"{text}{ran.stderr.strip()}")
        if language == "js":
            expect("what JavaScript prints", ran.stdout.strip(), "[ 'notes' ]")


with_boto3()
print(f"boto3 {boto3.__version__}: a table, its index and its stream")
with_the_command_line()
print("the AWS command line: the same")
examples_of_the_page()
print("docs/local.md: its examples")
