/** Who is told that a table has no room for requests. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Json, list, NAMES, properties, stack, type Tree } from './support';

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
  });
}
