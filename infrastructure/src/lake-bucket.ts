import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

import type { DeploymentProps } from './versioned-table';

/** A lake, and the tables it has. */
export interface LakeBucketProps extends DeploymentProps {
  /** The template with the tables of the lake for AWS Glue, where Athena is to find them. */
  readonly tables?: string;
  /** What they are of, for the name of their database. */
  readonly service: string;
}

/** Where the lakes are in the bucket. */
const PREFIX = 'lake';

/** A bucket for a data lake, and what its writer and its readers may do with it. */
export class LakeBucket extends Construct {
  readonly bucket: s3.Bucket;

  constructor(scope: Construct, id: string, { environment, removalPolicy, tablePrefix, tables, service }: LakeBucketProps) {
    super(scope, id);
    this.bucket = new s3.Bucket(this, 'Bucket', {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      encryption: s3.BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(7) }],
      // A bucket that is not empty stays, whatever is said here: what is in a lake is taken away by hand.
      removalPolicy: removalPolicy ?? (environment === 'sandbox' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN),
    });
    if (tables !== undefined) {
      // A database has a name of small letters, digits and underscores.
      const database = `${tablePrefix ?? ''}${service}_lake`.toLowerCase().replace(/[^a-z0-9_]/g, '_');
      new CfnInclude(this, 'Tables', { templateFile: tables, parameters: { Location: this.address, Database: database, FirstDay: '2026-01-01' } });
    }
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
