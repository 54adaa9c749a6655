"""A bucket, made or fetched: `bucket.py make BUCKET`, `bucket.py fetch BUCKET PREFIX FOLDER`."""

import os
import sys

import boto3

s3 = boto3.client("s3")
match sys.argv[1:]:
    case ["make", bucket]:
        s3.create_bucket(Bucket=bucket)
    case ["fetch", bucket, prefix, folder]:
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            for found in page.get("Contents", []):
                name = os.path.join(folder, found["Key"].removeprefix(prefix))
                os.makedirs(os.path.dirname(name), exist_ok=True)
                s3.download_file(bucket, found["Key"], name)
    case other:
        sys.exit(f"bucket.py cannot {other}")
