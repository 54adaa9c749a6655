/** The constructs make the tables that the generated templates make. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';

import { VersionedTable } from '../src';
import { deployed, filled, generated, type Json, NAMES, properties, type Tree } from './support';

const TABLE = 'AWS::DynamoDB::Table';
const TARGET = 'AWS::ApplicationAutoScaling::ScalableTarget';
const POLICY = 'AWS::ApplicationAutoScaling::ScalingPolicy';

/** By their names, and the attributes by theirs: CloudFormation does not care for the order. */
function tables(template: Tree, values: { readonly [name: string]: string | boolean } = {}): Tree {
  const all = properties(template, TABLE).map((table) => {
    const { AttributeDefinitions: attributes, ...rest } = filled(table, values) as Tree;
    const named = attributes as readonly Tree[];
    const sorted = [...named].sort((a, b) => String(a['AttributeName']).localeCompare(String(b['AttributeName'])));
    // Provisioned is what CloudFormation takes for granted.
    return [String(rest['TableName']), { BillingMode: 'PROVISIONED', ...rest, AttributeDefinitions: sorted }] as const;
  });
  return Object.fromEntries(all) as Tree;
}

for (const name of NAMES) {
  for (const billing of ['on-demand', 'provisioned'] as const) {
    // S4-20, S1-49, S2-28
    test(`${name}, ${billing}: the same tables as the template`, () => {
      const provisioned = billing === 'provisioned';
      const ours = tables(generated(`${name}.template.json`), {
        TablePrefix: 'live-',
        EverythingIsProvisioned: provisioned,
        NotEverythingIsOnDemand: provisioned,
      });
      const { template } = deployed(name, { billing, tablePrefix: 'live-' });
      const theirs = tables(template().toJSON());
      assert.deepEqual(theirs, ours);
    });
  }

  // S1-49
  test(`${name}: the same scaling as the template, of tables and of indexes`, () => {
    const ours = generated(`${name}.template.json`);
    const theirs = deployed(name, { billing: 'provisioned' }).template().toJSON() as Tree;
    const limits = (template: Tree) =>
      properties(template, TARGET)
        .map((target) => `${target['ScalableDimension']} ${target['MinCapacity']}..${target['MaxCapacity']}`)
        .sort();
    const aims = (template: Tree) =>
      properties(template, POLICY)
        .map((policy) => (policy['TargetTrackingScalingPolicyConfiguration'] as Tree)['TargetValue'])
        .sort();
    assert.ok(limits(ours).length > 0);
    assert.deepEqual(limits(theirs), limits(ours));
    assert.deepEqual(aims(theirs), aims(ours));
  });
}

test('tables are kept and protected, unless they are in a sandbox', () => {
  deployed('accounts')
    .template()
    .allResources(TABLE, {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: Match.objectLike({ DeletionProtectionEnabled: true }),
    });
  deployed('accounts', { environment: 'sandbox' })
    .template()
    .allResources(TABLE, {
      DeletionPolicy: 'Delete',
      Properties: Match.objectLike({ DeletionProtectionEnabled: false }),
    });
  deployed('accounts', { environment: 'sandbox', removalPolicy: RemovalPolicy.RETAIN })
    .template()
    .allResources(TABLE, { DeletionPolicy: 'Retain', Properties: Match.objectLike({ DeletionProtectionEnabled: true }) });
});

// S1-49
test('a sandbox is paid by request, whatever the model says', () => {
  const stack = new Stack(new App(), 'Stack');
  const definition = { name: 'readings', partition_key: { name: 'pk', type: 'S' }, billing: 'provisioned' } as const;
  new VersionedTable(stack, 'Sandbox', { definition, environment: 'sandbox', tablePrefix: 'sandbox-' });
  new VersionedTable(stack, 'Production', { definition });
  const template = Template.fromStack(stack);
  template.hasResourceProperties(TABLE, { TableName: 'sandbox-readings', BillingMode: 'PAY_PER_REQUEST' });
  template.hasResourceProperties(TABLE, {
    TableName: 'readings',
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
  });
  template.resourceCountIs(TARGET, 2);
});

// S4-20
test('a table by itself has recovery, encryption and protection', () => {
  const stack = new Stack(new App(), 'Stack');
  const definition = { name: 'accounts', partition_key: { name: 'pk', type: 'S' } } as const;
  new VersionedTable(stack, 'Accounts', { definition });
  Template.fromStack(stack).hasResource(TABLE, {
    DeletionPolicy: 'Retain',
    Properties: {
      TableName: 'accounts',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      DeletionProtectionEnabled: true,
      BillingMode: 'PAY_PER_REQUEST',
    },
  });
});

test('a local index and what it projects', () => {
  const stack = new Stack(new App(), 'Stack');
  const key = { name: 'pk', type: 'S' } as const;
  const local = { name: 'LSI1', kind: 'local', partition_key: key, projection: 'INCLUDE', projected: ['title'] } as const;
  const definition = { name: 'notes', partition_key: key, sort_key: { name: 'sk', type: 'B' } } as const;
  new VersionedTable(stack, 'Notes', {
    definition: { ...definition, indexes: [{ ...local, sort_key: { name: 'at', type: 'N' } }] },
  });
  Template.fromStack(stack).hasResourceProperties(TABLE, {
    LocalSecondaryIndexes: [
      {
        IndexName: 'LSI1',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'at', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['title'] },
      },
    ],
  });
  assert.throws(
    () => new VersionedTable(stack, 'Wrong', { definition: { ...definition, indexes: [{ ...local, sort_key: null }] } }),
    /LSI1 of notes has no sort key/,
  );
});

test('a condition is filled in as CloudFormation would', () => {
  const piece: Json = { a: { 'Fn::If': ['Yes', 1, { Ref: 'AWS::NoValue' }] }, b: [{ 'Fn::Sub': '${P}x${!y}${AWS::Region}' }] };
  assert.deepEqual(filled(piece, { Yes: true, P: 'p-' }), { a: 1, b: ['p-x${y}${AWS::Region}'] });
  assert.deepEqual(filled(piece, { Yes: false, P: '' }), { b: ['x${y}${AWS::Region}'] });
});
