/** Who is told that a table has no room for requests. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';

import { SERVICES } from '../bin/services';
import { ModelStack } from '../src';
import { type Json, list, model, NAMES, properties, service, type Tree } from './support';

function stack(name: string): Tree {
  const template = name in SERVICES ? service(name) : Template.fromStack(new ModelStack(new App(), 'Stack', { model: model(name) }));
  return template.toJSON() as Tree;
}

for (const of of [...NAMES, 'stream']) {
  test(`somebody is told when a table of ${of} or one of its indexes is throttled`, () => {
    const template = stack(of);
    const alarms = properties(template, 'AWS::CloudWatch::Alarm');
    const watched = alarms.flatMap((alarm) =>
      (list(alarm['Metrics']) as Tree[]).flatMap((one) => {
        const metric = (one['MetricStat'] as Tree | undefined)?.['Metric'] as Tree | undefined;
        return metric ? [metric] : [];
      }),
    );
    const isWatched = (metricName: string, index: string | undefined, table: Json) =>
      watched.some((metric) => {
        const dimensions = list(metric['Dimensions']) as Tree[];
        const value = (name: string) => dimensions.find((one) => one['Name'] === name)?.['Value'];
        return metric['MetricName'] === metricName && value('GlobalSecondaryIndexName') === index && JSON.stringify(value('TableName')) === JSON.stringify(table);
      });
    const resources = Object.entries(template['Resources'] as { [id: string]: Tree });
    const tables = resources.filter(([, one]) => one['Type'] === 'AWS::DynamoDB::Table');
    assert.ok(tables.length > 0);
    for (const [id, { Properties: table }] of tables) {
      const indexes = (list((table as Tree)['GlobalSecondaryIndexes']) as Tree[]).map((index) => String(index['IndexName']));
      for (const index of [undefined, ...indexes]) {
        assert.ok(isWatched('ReadThrottleEvents', index, { Ref: id }), `${id} ${index}`);
        assert.ok(isWatched('WriteThrottleEvents', index, { Ref: id }), `${id} ${index}`);
      }
    }
    for (const alarm of alarms) {
      assert.equal(list(alarm['AlarmActions']).length, 1);
    }
    // Whom to subscribe to is said in the outputs.
    const outputs = JSON.stringify(template['Outputs']);
    const [topic] = resources.filter(([, one]) => one['Type'] === 'AWS::SNS::Topic' && String((one['Properties'] as Tree)['DisplayName']).includes('something is wrong'));
    assert.ok(outputs.includes(topic![0]), outputs);
  });
}
