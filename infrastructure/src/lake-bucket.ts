import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

import type { DeploymentProps } from './versioned-table';

/** Where the lakes are in the bucket. */
const PREFIX = 'lake';

/** A bucket for a data lake, and what its writer and its readers may do with it. */
export class LakeBucket extends Construct {
  readonly bucket: s3.Bucket;

  constructor(scope: Construct, id: string, { environment, removalPolicy }: DeploymentProps) {
    super(scope, id);
    this.bucket = new s3.Bucket(this, 'Bucket', {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      encryption: s3.BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(7) }],
      // A bucket that is not empty stays, whatever is said here: what is in a lake is taken away by hand.
      removalPolicy: removalPolicy ?? (environment === 'sandbox' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN),
    });
  }

  /** Where it is, as `TABLEWRIGHT_LAKE` says it. */
  get address(): string {
    return `s3://${this.bucket.bucketName}/${PREFIX}`;
  }

  /** Allows to read what is in the lake. */
  grantRead(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, 's3:GetObject');
  }

  /** Allows to write it as well. */
  grantWrite(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, 's3:GetObject', 's3:PutObject', 's3:DeleteObject');
  }

  private grant(grantee: iam.IGrantable, ...actions: string[]): iam.Grant {
    const files = iam.Grant.addToPrincipal({ grantee, actions, resourceArns: [this.bucket.arnForObjects(`${PREFIX}/*`)] });
    return files.combine(iam.Grant.addToPrincipal({ grantee, actions: ['s3:ListBucket'], resourceArns: [this.bucket.bucketArn] }));
  }
}
