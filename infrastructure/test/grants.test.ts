/** What a grant allows is what the generated policy allows. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import * as iam from 'aws-cdk-lib/aws-iam';

import { readModel } from '../src';
import { deployed, filled, generated, type Json, list, model, NAMES, properties, statements, type Tree } from './support';

const TENANT = '${aws:PrincipalTag/tenant}';

function role(scope: ReturnType<typeof deployed>['stack'], id = 'Role') {
  return new iam.Role(scope, id, { assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com') });
}

/** Every action at every place, with the keys it is held to: `GetItem todo-app-data TASK#…`. */
function allowed(policies: readonly Tree[], place: (resource: Json) => string): string[] {
  const lines = policies.flatMap(statements).flatMap((statement) => {
    const condition = statement['Condition'] as Tree | undefined;
    const keys = condition ? list((condition['ForAllValues:StringLike'] as Tree)['dynamodb:LeadingKeys']) : ['all'];
    const actions = list(statement['Action']);
    return actions.flatMap((action) => list(statement['Resource']).map((at) => `${action} ${place(at)} ${keys.join(' ')}`));
  });
  return lines.sort();
}

/** `todo-app-data/index/GSI1`, of an ARN that was put together by CDK. */
function byReference(names: Map<string, string>): (resource: Json) => string {
  const named = (at: Json): string => {
    const tree = at as Tree;
    const [attribute] = list(tree['Fn::GetAtt']);
    const join = tree['Fn::Join'] as [string, readonly Json[]] | undefined;
    return join ? join[1].map((part) => (typeof part === 'string' ? part : named(part))).join('') : names.get(String(attribute))!;
  };
  return named;
}

/** The names of the tables, by their ids in the template. */
function tableNames(template: Tree): Map<string, string> {
  const resources = Object.entries(template['Resources'] as { [id: string]: Tree });
  const tables = resources.filter(([, resource]) => resource['Type'] === 'AWS::DynamoDB::Table');
  return new Map(tables.map(([id, resource]) => [id, String((resource['Properties'] as Tree)['TableName'])]));
}

for (const name of NAMES) {
  for (const { name: service } of model(name).services) {
    // S4-21, C4-20
    test(`${service} of ${name} may do what its policy says, and nothing else`, () => {
      const { stack, tables, template } = deployed(name);
      tables.grant(role(stack), service);
      const made = template().toJSON() as Tree;
      const granted = allowed(properties(made, 'AWS::IAM::Policy'), byReference(tableNames(made)));

      const resources = generated(`${name}.iam.json`)['Resources'] as { [id: string]: Tree };
      const ours = Object.entries(resources).filter(([id]) => id.toLowerCase().replace(/policy\d*$/, '') === service.toLowerCase());
      const values = { TablePrefix: '', Tenant: TENANT };
      const policies = ours.map(([, resource]) => filled(resource['Properties'] as Tree, values) as Tree);
      assert.ok(policies.length > 0);
      assert.deepEqual(granted, allowed(policies, (arn) => String(arn).replace(/^.*:table\//, '')));

      assert.ok(granted.length > 0);
      for (const line of granted) {
        assert.doesNotMatch(line, /Scan|^dynamodb:\*|^\* | \* /);
      }
    });
  }
}

test('where tenancy is declared, every key is held to the tenant or to the guards', () => {
  const { stack, tables, template } = deployed('todo');
  tables.grant(role(stack), 'todo');
  const policies = properties(template().toJSON() as Tree, 'AWS::IAM::Policy');
  for (const statement of policies.flatMap(statements)) {
    const condition = statement['Condition'] as Tree;
    assert.deepEqual(condition['Null'], { 'dynamodb:LeadingKeys': 'false' });
    const keys = list((condition['ForAllValues:StringLike'] as Tree)['dynamodb:LeadingKeys']).map(String);
    assert.ok(keys.length > 0);
    for (const key of keys) {
      assert.ok(key === 'EMAIL#*' || key.includes(`#${TENANT}`), key);
    }
  }
});

test('a program for all tenants is still held to the keys of its patterns', () => {
  const { stack, tables, template } = deployed('todo');
  tables.grant(role(stack), 'todo', { tenant: '*' });
  const text = JSON.stringify(template().findResources('AWS::IAM::Policy'));
  assert.ok(text.includes('"TASK#*"'));
  assert.ok(!text.includes(TENANT));
});

test('a role for tenants is assumed with their tag, and not without', () => {
  const { stack, tables, template } = deployed('todo');
  const service = role(stack, 'Service');
  tables.tenantRole('Tenant', service, 'todo');
  template().hasResourceProperties('AWS::IAM::Role', {
    AssumeRolePolicyDocument: {
      Statement: [
        {
          Action: ['sts:AssumeRole', 'sts:TagSession'],
          Condition: { StringLike: { 'aws:RequestTag/tenant': '?*' } },
          Effect: 'Allow',
        },
      ],
    },
  });
  // What the service itself may do is to assume it.
  const policies = Object.values(template().findResources('AWS::IAM::Policy'));
  assert.equal(policies.length, 1);
});

test('readers of a stream get the stream, and the list of all streams, which cannot be held to one table', () => {
  const { stack, tables, template } = deployed('ask');
  tables.grantStream(role(stack));
  const [policy] = properties(template().toJSON() as Tree, 'AWS::IAM::Policy');
  const [read, told, find] = statements(policy!);
  assert.deepEqual(list(read!['Action']), ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator']);
  assert.match(JSON.stringify(read!['Resource']), /StreamArn/);
  assert.deepEqual(list(told!['Action']), ['dynamodb:DescribeTable']);
  assert.doesNotMatch(JSON.stringify(told!['Resource']), /StreamArn/);
  assert.deepEqual([list(find!['Action']), find!['Resource']], [['dynamodb:ListStreams'], '*']);
});

test('what the model does not have is refused, with what it has', () => {
  const { stack, tables } = deployed('accounts');
  assert.throws(() => tables.grant(role(stack), 'bank'), /accounts has no service bank; it has accounts/);
  assert.throws(() => tables.table('users'), /accounts has no table users; it has accounts, transfers, account-requests/);
  assert.throws(() => tables.grantStream(role(stack, 'Reader')), /accounts has no stream/);
});

test('what is no export is refused', () => {
  const template = join(__dirname, '../../models/todo.template.json');
  assert.throws(() => readModel(template), /todo.template.json is no export of a model in format 1/);
});
