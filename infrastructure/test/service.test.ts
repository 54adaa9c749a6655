/** A service in an account: who is let in, what follows changes, and who is told when something is wrong. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Match } from 'aws-cdk-lib/assertions';

import { pages, SERVICES } from '../bin/services';
import type { ServiceStackProps } from '../src';
import { type Json, list, properties, service, statements, type Tree } from './support';

/** What a function logged of a dead letter: the test of the To-Do API that makes one writes it. */
const LOGGED = join(__dirname, '../../test/dead-letter.log');

/** What the function of a lake logged of a look at it: the test of the To-Do API that calls one writes it. */
const LOOKED_AFTER = join(__dirname, '../../test/looked-after.log');

for (const name of Object.keys(SERVICES)) {
  test(`${name} lets nobody in without a token where one is needed`, () => {
    const template = service(name);
    template.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer: 'https://issuer.example.org', Audience: ['us', 'them'] },
    });
    const routes = properties(template.toJSON() as Tree, 'AWS::ApiGatewayV2::Route');
    const { authorized, open } = SERVICES[name]!;
    assert.equal(routes.length, 2 * authorized.length + open.length);
    for (const route of routes) {
      const [method, path] = String(route['RouteKey']).split(' ') as [string, string];
      assert.equal(route['AuthorizationType'], method === 'ANY' && authorized.includes(path) ? 'JWT' : 'NONE', path);
    }
    // Before a page of another site sends a token, its browser asks without one.
    for (const path of authorized) {
      template.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: `OPTIONS ${path}`, AuthorizationType: 'NONE' });
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

for (const [of, { consumers = [] }] of Object.entries(SERVICES)) {
  test(`every consumer of ${of} is a function that reports what it has not handled, and gives up into a queue`, () => {
    const template = service(of);
    const names = consumers.map(({ name }) => name);
    const scheduled = consumers.filter(({ every }) => every !== undefined);
    assert.ok(names.length > 0);
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', names.length - scheduled.length);
    const rules = properties(template.toJSON() as Tree, 'AWS::Events::Rule');
    assert.equal(rules.filter((rule) => rule['ScheduleExpression'] !== undefined).length, scheduled.length);
    // What a schedule calls gives up into the queue as well.
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', scheduled.length);
    for (const name of names) {
      template.hasResourceProperties('AWS::Lambda::Function', { Handler: `${of}+follow+${name}` });
    }
    const mappings = properties(template.toJSON() as Tree, 'AWS::Lambda::EventSourceMapping');
    for (const mapping of mappings) {
      assert.deepEqual(mapping['FunctionResponseTypes'], ['ReportBatchItemFailures']);
      assert.equal(mapping['StartingPosition'], 'TRIM_HORIZON');
      assert.equal(mapping['MaximumRecordAgeInSeconds'], 24 * 60 * 60);
      assert.ok((mapping['DestinationConfig'] as Tree)['OnFailure']);
    }
  });
}

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

test('the service is told of mails that came back, with the token it knows who may by', () => {
  const template = service('tasks');
  template.hasResourceProperties('AWS::SES::ConfigurationSetEventDestination', {
    EventDestination: Match.objectLike({ EventBridgeDestination: Match.anyValue(), MatchingEventTypes: ['bounce'] }),
  });
  template.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: Match.objectLike({ source: ['aws.ses'], 'detail-type': ['Email Bounced'] }),
    Targets: [
      Match.objectLike({
        InputTransformer: {
          InputPathsMap: { 'detail-mail-commonHeaders-messageId': '$.detail.mail.commonHeaders.messageId', 'detail-bounce-bounceType': '$.detail.bounce.bounceType' },
          InputTemplate: '{"messageId":<detail-mail-commonHeaders-messageId>,"reason":<detail-bounce-bounceType>}',
        },
      }),
    ],
  });
  const told = JSON.stringify(properties(template.toJSON() as Tree, 'AWS::Events::ApiDestination'));
  assert.match(told, /\/api\/v1\/mail\/bounces/);
  // The same secret as the service is told.
  const authorized = JSON.stringify(properties(template.toJSON() as Tree, 'AWS::Events::Connection'));
  const secret = /bouncetoken[0-9A-F]+/.exec(authorized)?.[0];
  assert.ok(secret, authorized);
  const answers = properties(template.toJSON() as Tree, 'AWS::Lambda::Function').find((one) => one['Handler'] === 'tasks')!;
  const variables = (answers['Environment'] as Tree)['Variables'] as Tree;
  assert.ok(JSON.stringify(variables['TABLEWRIGHT_BOUNCE_TOKEN']).includes(secret));
  assert.throws(() => service('tasks', { secrets: [] }), /bounce_token/);
});

test('who asks for the insights of the To-Do API is let through', () => {
  assert.ok(pages('todo').includes('/insights'));
});

for (const name of ['todo', 'tasks']) {
  test(`the gateway of ${name} has every page of it`, () => {
    const routes = properties(service(name).toJSON() as Tree, 'AWS::ApiGatewayV2::Route').map((route) => String(route['RouteKey']));
    const missing = pages(name).filter((path) => !routes.includes(`ANY ${path}`));
    assert.deepEqual(missing, []);
  });
}

for (const name of Object.keys(SERVICES)) {
  test(`consumers of ${name} have as long as Lambda gives, those a schedule calls too, and whoever answers as long as the gateway waits`, () => {
    const functions = properties(service(name).toJSON() as Tree, 'AWS::Lambda::Function').filter((one) => one['Runtime'] === 'provided.al2023');
    assert.ok(functions.length > 1);
    for (const one of functions) {
      assert.equal(one['Timeout'], String(one['Handler']).includes('+follow+') ? 900 : 29, String(one['Handler']));
      // What takes longer is told so while there is time to.
      assert.equal(((one['Environment'] as Tree)['Variables'] as Tree)['TABLEWRIGHT_REQUEST_TIMEOUT'], '28s');
    }
  });
}

test('a function that is called every minute sends the mails that wait, as the notifier sends the others', () => {
  const template = service('tasks').toJSON() as Tree;
  const called = functionOf(template, 'tasks+follow+tasks-waiting-mails');
  const follows = functionOf(template, 'tasks+follow+tasks-notifier');
  const settings = (one: Tree) => (one['Environment'] as Tree)['Variables'] as Tree;
  assert.deepEqual(settings(called), settings(follows));
  for (const needed of ['TABLEWRIGHT_SMTP_URL', 'TABLEWRIGHT_MAIL_FROM']) {
    assert.ok(settings(called)[needed], needed);
  }
  const resources = template['Resources'] as Readonly<Record<string, Tree>>;
  const id = Object.keys(resources).find((id) => resources[id]!['Properties'] === called)!;
  const rules = properties(template, 'AWS::Events::Rule').filter((rule) => JSON.stringify(rule['Targets']).includes(id));
  assert.deepEqual(rules.map((rule) => rule['ScheduleExpression']), ['rate(1 minute)']);
  // Its rights at the tables are those of the notifier; of the stream it needs none.
  const policies = properties(template, 'AWS::IAM::Policy');
  const may = (one: Tree) => {
    const role = JSON.stringify(((one['Role'] as Tree)['Fn::GetAtt'] as Json[])[0]);
    const of = policies.filter((policy) => JSON.stringify(policy['Roles']).includes(role)).flatMap(statements);
    return of.flatMap((statement) => list(statement['Action']).map(String));
  };
  assert.ok(may(called).includes('dynamodb:UpdateItem'));
  assert.deepEqual(may(called).filter((action) => !may(follows).includes(action)), []);
  assert.deepEqual(may(called).filter((action) => /Stream|Shard|GetRecords/.test(action)), []);
});

function functionOf(template: Tree, handler: string): Tree {
  return properties(template, 'AWS::Lambda::Function').find((one) => one['Handler'] === handler)!;
}

test('one function at a time writes the lake, in a bucket of its own, and knows the shard of what it is given', () => {
  const template = service('todo');
  template.hasResourceProperties('AWS::Lambda::Function', { Handler: 'todo+follow+todo-lake', ReservedConcurrentExecutions: 1 });
  // Parts of silver are files of its own while they are made from the table; nobody else writes any.
  const rooms = properties(template.toJSON() as Tree, 'AWS::Lambda::Function').filter((one) => one['EphemeralStorage'] !== undefined);
  assert.deepEqual(rooms.map((one) => [one['Handler'], one['EphemeralStorage']]), [['todo+follow+todo-lake', { Size: 4096 }]]);
  const windows = properties(template.toJSON() as Tree, 'AWS::Lambda::EventSourceMapping').filter((mapping) => mapping['TumblingWindowInSeconds'] !== undefined);
  assert.equal(windows.length, 1);
  template.hasResourceProperties('AWS::S3::Bucket', {
    PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true },
  });
  const policies = properties(template.toJSON() as Tree, 'AWS::IAM::Policy').flatMap(statements);
  const may = (action: string) => policies.filter((statement) => list(statement['Action']).includes(action));
  // The service reads what it adds up to; who writes may make silver anew from the table.
  assert.deepEqual([may('s3:GetObject').length, may('s3:PutObject').length, may('dynamodb:Scan').length], [2, 1, 1]);
  template.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables: { TABLEWRIGHT_LAKE: Match.anyValue() } } });
  assert.throws(() => service('todo', { lake: false }), /todo-lake writes the lake: say `lake: true`/);
});

test('Athena finds the tables of the lake in its bucket, and computes the partitions of bronze', () => {
  const template = service('todo');
  template.hasResourceProperties('AWS::Glue::Database', { DatabaseInput: { Name: 'test_todo_lake' } });
  const tables = properties(template.toJSON() as Tree, 'AWS::Glue::Table').map((table) => table['TableInput'] as Tree);
  const names = tables.map((table) => String(table['Name']));
  for (const name of ['bronze', 'silver_task', 'gold_completion']) {
    assert.ok(names.includes(name), name);
  }
  for (const table of tables) {
    assert.match(JSON.stringify((table['StorageDescriptor'] as Tree)['Location']), /LakeBucket/);
  }
  const bronze = tables.find((table) => table['Name'] === 'bronze')!['Parameters'] as Tree;
  assert.equal(bronze['projection.enabled'], 'true');
  assert.match(JSON.stringify(bronze['storage.location.template']), /entity=\$\{!?entity\}\/date=\$\{!?date\}/);
  service('tasks').resourceCountIs('AWS::Glue::Table', 0);
});

test('secrets of a service are made with it', () => {
  const template = service('ask');
  template.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables: { TABLEWRIGHT_PEOPLE_SECRET: Match.anyValue() } } });
  template.resourceCountIs('AWS::SecretsManager::Secret', 3);
});

test('secrets without which the tables are of no use stay when they do', () => {
  const policies = (props: Partial<ServiceStackProps>) => {
    const secrets = service('ask', props).findResources('AWS::SecretsManager::Secret');
    return Object.entries(secrets).map(([id, secret]) => `${id.replace(/[0-9A-F]{8}$/, '')} ${String(secret['DeletionPolicy'])}`).sort();
  };
  assert.deepEqual(policies({}), ['CursorSecret Delete', 'metricstoken Retain', 'peoplesecret Retain']);
  assert.deepEqual(policies({ environment: 'sandbox' }), ['CursorSecret Delete', 'metricstoken Delete', 'peoplesecret Delete']);
});

for (const name of Object.keys(SERVICES)) {
  test(`the numbers of ${name} are shown to nobody without a token`, () => {
    const shown = SERVICES[name]!.open.some((path) => ['/metrics', '/{proxy+}'].includes(path));
    const variables = (functionOf(service(name).toJSON() as Tree, name)['Environment'] as Tree)['Variables'] as Tree;
    assert.equal('TABLEWRIGHT_METRICS_TOKEN' in variables, shown);
  });
}

test('somebody is told of 5xx, throttles, what is behind and what was given up', () => {
  const template = service('tasks');
  const alarms = properties(template.toJSON() as Tree, 'AWS::CloudWatch::Alarm');
  const described = alarms.map((alarm) => String(alarm['AlarmDescription']));
  for (const what of ['5xx', 'TaskManagement', 'tasks-notifier is ten minutes behind', 'given calls up', 'found no function']) {
    assert.ok(described.some((text) => text.includes(what)), what);
  }
  template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
});

for (const [of, { consumers = [] }] of Object.entries(SERVICES)) {
  test(`somebody is told when a consumer of ${of} fails or is behind, and the dashboard shows it`, () => {
    const template = service(of).toJSON() as Tree;
    const described = properties(template, 'AWS::CloudWatch::Alarm').map((alarm) => String(alarm['AlarmDescription']));
    const shown = JSON.stringify(properties(template, 'AWS::CloudWatch::Dashboard'));
    for (const { name, every } of consumers) {
      assert.ok(described.includes(`${name} fails again and again`), name);
      const behind = described.filter((text) => text.startsWith(`${name} is ten minutes behind, or more`));
      assert.equal(behind.length, every === undefined ? 1 : 0, name);
      // What a stream forgets is lost to a lake and to nobody else.
      assert.equal(behind.some((text) => text.includes('tablewright lake rebuild')), name.endsWith('-lake'), name);
      assert.ok(shown.includes(name), name);
    }
  });
}

/** Whether a filter for one word of an object matches a line of a log, as CloudWatch Logs says it: equal, and the line is JSON. */
function matches(pattern: Json | undefined, line: string): boolean {
  const [, name, value] = /^\{ \$\.(\w+) = "([^"*]*)" \}$/.exec(String(pattern)) ?? assert.fail(`not of one word: ${String(pattern)}`);
  return (JSON.parse(line) as Tree)[name!] === value;
}

for (const [of, { consumers = [] }] of Object.entries(SERVICES)) {
  test(`somebody is told of each dead letter of ${of}, though for Lambda the call has succeeded`, () => {
    const logged = readFileSync(LOGGED, 'utf8').trim();
    const template = service(of).toJSON() as Tree;
    const functions = properties(template, 'AWS::Lambda::Function');
    const filters = properties(template, 'AWS::Logs::MetricFilter');
    const alarms = properties(template, 'AWS::CloudWatch::Alarm');
    const following = consumers.filter(({ every }) => every === undefined);
    assert.equal(filters.length, following.length + following.filter(({ writesLake }) => writesLake).length);
    for (const { name } of following) {
      const log = (functions.find((one) => one['Handler'] === `${of}+follow+${name}`)!['LoggingConfig'] as Tree)['LogGroup'];
      const filter = filters.find((one) => JSON.stringify(one['LogGroupName']) === JSON.stringify(log) && matches(one['FilterPattern'], logged));
      assert.ok(filter, name);
      assert.ok(!matches(filter['FilterPattern'], logged.replace('is a dead letter now', 'was not handled')), name);
      const [counted] = list(filter['MetricTransformations']) as Tree[];
      const alarm = alarms.find((one) => one['MetricName'] === counted!['MetricName'] && one['Namespace'] === counted!['MetricNamespace']);
      assert.ok(alarm, name);
      assert.deepEqual([counted!['MetricValue'], alarm['Statistic'], alarm['Threshold']], ['1', 'Sum', 1]);
      assert.match(String(alarm['AlarmDescription']), /tablewright stream status --endpoint aws --table-prefix test-/);
    }
  });
}

test('somebody is told when silver of a lake cannot be brought up to date', () => {
  const logged = readFileSync(LOOKED_AFTER, 'utf8').trim();
  const template = service('todo').toJSON() as Tree;
  const filters = properties(template, 'AWS::Logs::MetricFilter').filter((one) => matches(one['FilterPattern'], logged));
  assert.equal(filters.length, 1);
  const [told] = list(filters[0]!['MetricTransformations']) as Tree[];
  const [, field] = /^\$\.(\w+)$/.exec(String(told!['MetricValue'])) ?? assert.fail('it is a number of the line');
  assert.equal(typeof (JSON.parse(logged) as Tree)[field!], 'number');
  const alarm = properties(template, 'AWS::CloudWatch::Alarm').find((one) => one['MetricName'] === told!['MetricName']);
  assert.ok(alarm);
  assert.deepEqual([alarm['Statistic'], alarm['Threshold']], ['Maximum', 900]);
  assert.match(String(alarm['AlarmDescription']), /tablewright lake status/);
});

test('what cannot be followed is told', () => {
  const consumers = [{ name: 'somebody' }];
  assert.throws(() => service('todo', { consumers, followed: 'missing' }), /`followed` is one of the tables with a stream: todo-app-data/);
});
