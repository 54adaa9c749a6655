/** Whether what an alarm tells reaches somebody. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { list, NAMES, properties, stack, statements, type Tree } from './support';

for (const of of [...NAMES, 'stream']) {
  test(`every alarm of ${of} may publish to its topic, which is among the outputs`, () => {
    const template = stack(of);
    const alarms = properties(template, 'AWS::CloudWatch::Alarm');
    const policies = properties(template, 'AWS::SNS::TopicPolicy');
    assert.ok(alarms.length > 0);
    for (const alarm of alarms) {
      const [topic, ...others] = list(alarm['AlarmActions']) as Tree[];
      assert.deepEqual(others, []);
      const id = topic!['Ref'];
      const own = policies.filter((policy) => JSON.stringify(policy['Topics']) === JSON.stringify([{ Ref: id }]));
      // A topic without a policy is open to its account; one with a policy only to whom that names.
      const allowed = own.flatMap(statements).filter((statement) => statement['Effect'] === 'Allow' && list(statement['Action']).includes('sns:Publish'));
      assert.deepEqual(allowed.map((statement) => [statement['Principal'], statement['Resource']]), [[{ Service: 'cloudwatch.amazonaws.com' }, { Ref: id }]]);
      assert.deepEqual(allowed[0]!['Condition'], { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } });
      const outputs = Object.values(template['Outputs'] as { [name: string]: Tree });
      assert.ok(outputs.some((output) => JSON.stringify(output['Value']) === JSON.stringify({ Ref: id })));
    }
  });
}
