/** A service in an account: who is let in, what follows changes, and who is told when something is wrong. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';

import { SERVICES } from '../bin/services';
import { ModelStack, ServiceStack, type ServiceStackProps } from '../src';
import { type Json, list, model, properties, statements, type Tree } from './support';

const CODE = join(__dirname, '../../function');

function service(name: string, props: Partial<ServiceStackProps> = {}) {
  const app = new App();
  const { tables: followers } = new ModelStack(app, 'Stream', { model: model('stream') });
  const stack = new ServiceStack(app, 'Stack', {
    model: model(name),
    ...SERVICES[name]!,
    followers,
    tablePrefix: 'test-',
    code: Code.fromAsset(CODE),
    issuer: 'https://issuer.example.org',
    audience: ['us', 'them'],
    ...props,
  });
  return Template.fromStack(stack);
}

for (const name of Object.keys(SERVICES)) {
  test(`${name} lets nobody in without a token where one is needed`, () => {
    const template = service(name);
    template.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer: 'https://issuer.example.org', Audience: ['us', 'them'] },
    });
    const routes = properties(template.toJSON() as Tree, 'AWS::ApiGatewayV2::Route');
    assert.equal(routes.length, SERVICES[name]!.authorized.length + SERVICES[name]!.open.length);
    for (const route of routes) {
      const path = String(route['RouteKey']).replace('ANY ', '');
      assert.equal(route['AuthorizationType'], SERVICES[name]!.authorized.includes(path) ? 'JWT' : 'NONE', path);
    }
  });

  test(`the functions of ${name} have no action with a star but what cannot be held to less`, () => {
    const template = service(name).toJSON() as Tree;
    const policies = properties(template, 'AWS::IAM::Policy');
    const all = policies.flatMap(statements).flatMap((statement) => list(statement['Action']).map((action) => [String(action), statement['Resource']] as const));
    assert.ok(all.length > 0);
    for (const [action, resource] of all) {
      assert.ok(!action.includes('*'), action);
      if (resource === '*') {
        assert.equal(action, 'dynamodb:ListStreams');
      }
    }
  });

  test(`${name} is told where its tables are and whose tokens it takes`, () => {
    service(name).hasResourceProperties('AWS::Lambda::Function', {
      Handler: name,
      Runtime: 'provided.al2023',
      Environment: {
        Variables: Match.objectLike({
          TABLEWRIGHT_ENDPOINT: 'aws',
          TABLEWRIGHT_TABLE_PREFIX: 'test-',
          TABLEWRIGHT_ISSUER: 'https://issuer.example.org',
          TABLEWRIGHT_AUDIENCE: 'us,them',
        }),
      },
    });
  });
}

test('every consumer is a function that reports what it has not handled, and gives up into a queue', () => {
  const template = service('tasks');
  const names = SERVICES['tasks']!.consumers!.map(({ name }) => name);
  template.resourceCountIs('AWS::Lambda::EventSourceMapping', names.length);
  for (const name of names) {
    template.hasResourceProperties('AWS::Lambda::Function', { Handler: `tasks+follow+${name}` });
  }
  const mappings = properties(template.toJSON() as Tree, 'AWS::Lambda::EventSourceMapping');
  for (const mapping of mappings) {
    assert.deepEqual(mapping['FunctionResponseTypes'], ['ReportBatchItemFailures']);
    assert.equal(mapping['StartingPosition'], 'TRIM_HORIZON');
    assert.equal(mapping['MaximumRecordAgeInSeconds'], 24 * 60 * 60);
    assert.ok((mapping['DestinationConfig'] as Tree)['OnFailure']);
  }
});

test('only who publishes may put events, and only on the bus of the service', () => {
  const template = service('tasks');
  const policies = properties(template.toJSON() as Tree, 'AWS::IAM::Policy');
  const putting = policies.flatMap(statements).filter((statement) => list(statement['Action']).includes('events:PutEvents'));
  assert.equal(putting.length, 1);
  assert.notEqual(putting[0]!['Resource'] as Json, '*');
});

test('mails are of a verified domain, encrypted, and what comes back is told', () => {
  const template = service('tasks');
  template.hasResourceProperties('AWS::SES::EmailIdentity', { EmailIdentity: 'example.org' });
  template.hasResourceProperties('AWS::SES::ConfigurationSet', { DeliveryOptions: { TlsPolicy: 'REQUIRE' } });
  template.hasResourceProperties('AWS::SES::ConfigurationSetEventDestination', {
    EventDestination: Match.objectLike({ MatchingEventTypes: ['bounce', 'complaint'] }),
  });
  service('todo').resourceCountIs('AWS::SES::EmailIdentity', 0);
});

test('somebody is told of 5xx, throttles, what is behind and what was given up', () => {
  const template = service('tasks');
  const alarms = properties(template.toJSON() as Tree, 'AWS::CloudWatch::Alarm');
  const described = alarms.map((alarm) => String(alarm['AlarmDescription']));
  for (const what of ['5xx', 'TaskManagement', 'tasks-notifier is ten minutes behind', 'given up', 'found no function']) {
    assert.ok(described.some((text) => text.includes(what)), what);
  }
  for (const alarm of alarms) {
    assert.equal(list(alarm['AlarmActions']).length, 1);
  }
  template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
});

test('what cannot be followed is told', () => {
  const consumers = [{ name: 'somebody' }];
  assert.throws(() => service('todo', { consumers, followed: 'missing' }), /`followed` is one of the tables with a stream: todo-app-data/);
});
