import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';

import { CAPACITY } from './capacity';
import type { Capacity, IndexDefinition, KeyAttribute, TableDefinition } from './model';

/** A place to try things, or one whose data somebody would miss. */
export type Environment = 'sandbox' | 'production';

/** How capacity is paid. */
export type Billing = 'as-modelled' | 'on-demand' | 'provisioned';

/** What the deployer decides, and the model does not. */
export interface DeploymentProps {
  /** `production` unless said. In a sandbox capacity is paid by request, and tables go with their stack. */
  readonly environment?: Environment;
  /** On demand in a sandbox, else as the model says. */
  readonly billing?: Billing;
  /** What stands before every table's name, as in `sandbox-`. */
  readonly tablePrefix?: string;
  /** What becomes of tables that leave the stack: kept in production, deleted in a sandbox. */
  readonly removalPolicy?: RemovalPolicy;
}

/** Which table, and how it is deployed. */
export interface VersionedTableProps extends DeploymentProps {
  readonly definition: TableDefinition;
}

const TYPES = { S: dynamodb.AttributeType.STRING, N: dynamodb.AttributeType.NUMBER, B: dynamodb.AttributeType.BINARY };

/**
 * One table of a model, with point-in-time recovery, encryption and protection from deletion unless the model says otherwise.
 * It keeps versioned items as any others: versions are attributes, and the table need not know of them.
 */
export class VersionedTable extends Construct {
  readonly table: dynamodb.Table;
  readonly definition: TableDefinition;

  constructor(scope: Construct, id: string, props: VersionedTableProps) {
    super(scope, id);
    const { definition } = props;
    const isSandbox = props.environment === 'sandbox';
    const removalPolicy = props.removalPolicy ?? (isSandbox ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN);
    const provisioned = isProvisioned(props);
    const capacity = definition.capacity ?? CAPACITY;
    this.definition = definition;
    this.table = new dynamodb.Table(this, 'Table', {
      tableName: `${props.tablePrefix ?? ''}${definition.name}`,
      ...keys(definition.partition_key, definition.sort_key),
      ...(definition.ttl ? { timeToLiveAttribute: definition.ttl } : {}),
      ...(definition.stream ? { stream: dynamodb.StreamViewType[definition.stream] } : {}),
      ...(provisioned
        ? { billingMode: dynamodb.BillingMode.PROVISIONED, readCapacity: capacity.read.fewest, writeCapacity: capacity.write.fewest }
        : { billingMode: dynamodb.BillingMode.PAY_PER_REQUEST }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: definition.recovery ?? true },
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      // What is to go with its stack cannot be protected from that.
      deletionProtection: removalPolicy !== RemovalPolicy.DESTROY && (definition.deletion_protection ?? true),
      removalPolicy,
    });
    if (provisioned) {
      scale(capacity, (units) => this.table.autoScaleReadCapacity(units), (units) => this.table.autoScaleWriteCapacity(units));
    }
    for (const index of definition.indexes ?? []) {
      this.addIndex(index, provisioned);
    }
  }

  private addIndex(index: IndexDefinition, provisioned: boolean): void {
    const projection = {
      indexName: index.name,
      projectionType: dynamodb.ProjectionType[index.projection],
      ...(index.projected ? { nonKeyAttributes: [...index.projected] } : {}),
    };
    if (index.kind === 'local') {
      if (!index.sort_key) {
        throw new Error(`the local index ${index.name} of ${this.definition.name} has no sort key`);
      }
      this.table.addLocalSecondaryIndex({ ...projection, sortKey: attribute(index.sort_key) });
      return;
    }
    const capacity = index.capacity ?? this.definition.capacity ?? CAPACITY;
    this.table.addGlobalSecondaryIndex({
      ...projection,
      ...keys(index.partition_key, index.sort_key),
      ...(provisioned ? { readCapacity: capacity.read.fewest, writeCapacity: capacity.write.fewest } : {}),
    });
    if (provisioned) {
      scale(
        capacity,
        (units) => this.table.autoScaleGlobalSecondaryIndexReadCapacity(index.name, units),
        (units) => this.table.autoScaleGlobalSecondaryIndexWriteCapacity(index.name, units),
      );
    }
  }
}

function isProvisioned({ billing, environment, definition }: VersionedTableProps): boolean {
  const chosen = billing ?? (environment === 'sandbox' ? 'on-demand' : 'as-modelled');
  return (chosen === 'as-modelled' ? definition.billing : chosen) === 'provisioned';
}

function attribute({ name, type }: KeyAttribute): dynamodb.Attribute {
  return { name, type: TYPES[type] };
}

function keys(partition: KeyAttribute, sort: KeyAttribute | null | undefined) {
  return { partitionKey: attribute(partition), ...(sort ? { sortKey: attribute(sort) } : {}) };
}

type Scale = (units: dynamodb.EnableScalingProps) => dynamodb.IScalableTableAttribute;

/** Units that follow their use; what has one size has nothing to follow. */
function scale(capacity: Capacity, read: Scale, write: Scale): void {
  for (const [units, enable] of [[capacity.read, read], [capacity.write, write]] as const) {
    if (units.fewest < units.most) {
      const scaled = enable({ minCapacity: units.fewest, maxCapacity: units.most });
      scaled.scaleOnUtilization({ targetUtilizationPercent: capacity.target });
    }
  }
}
