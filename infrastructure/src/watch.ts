import { Duration, Stack } from 'aws-cdk-lib';
import type * as apigateway from 'aws-cdk-lib/aws-apigatewayv2';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

import { Alarms } from './alarms';
import type { ModelTables } from './model-tables';
import { throttledOf } from './throttled';

/** What is watched. */
export interface WatchProps {
  readonly api: apigateway.HttpApi;
  readonly answers: lambda.Function;
  readonly consumers: ReadonlyMap<string, lambda.Function>;
  /** Which of them write a lake. */
  readonly lakes: ReadonlySet<string>;
  /** Which of them no stream calls. */
  readonly scheduled: ReadonlySet<string>;
  readonly failed: sqs.Queue;
  readonly tables: ModelTables;
  /** What the names of the tables begin with. */
  readonly tablePrefix?: string | undefined;
}

const FIVE_MINUTES = Duration.minutes(5);

/** What a consumer logs when it gives a change up: the change is in a table then, and for Lambda the call has succeeded. */
const DEAD_LETTER = 'a record is a dead letter now';

/** What the function of a lake logs after each look, with the seconds for which silver and gold could not be brought up to date. */
const LOOKED = 'silver and gold were looked after';

/** Alarms for what nobody would notice in time, a topic that tells of them, and a dashboard of the same numbers. */
export class Watch extends Construct {
  readonly alarms: Alarms;

  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    this.alarms = new Alarms(this, 'Alarms');
    const { api, answers, consumers, scheduled, lakes, failed, tables } = props;
    const where = `--endpoint aws${props.tablePrefix ? ` --table-prefix ${props.tablePrefix}` : ''}`;
    const following = [...consumers].filter(([name]) => !scheduled.has(name));
    const sum = { period: FIVE_MINUTES, statistic: 'Sum' };
    const throttles = throttledOf(tables);
    const dead = following.map(([name, consumer]) => ({ name, metric: this.deadLettersOf(name, consumer) }));

    this.alarms.add('ServerErrors', api.metricServerError(sum), 1, 'Requests were answered with 5xx');
    this.alarms.add('FunctionThrottles', answers.metricThrottles(sum), 1, 'Requests found no function to answer them');
    this.alarms.addThrottles(throttles);
    for (const { name, metric } of dead) {
      this.alarms.add(`${name}DeadLetters`, metric, 1, `${name} has given changes up: \`tablewright stream status ${where}\` tells as whom, \`tablewright stream dead\` which`);
    }
    this.alarms.add('GivenUp', failed.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: 'Maximum' }), 1, 'Lambda has given calls up: the queue tells which');
    for (const [name, consumer] of following) {
      const age = consumer.metric('IteratorAge', { period: FIVE_MINUTES, statistic: 'Maximum' });
      const lost = lakes.has(name) ? ': changes it has not read within 24 hours are lost to the lake, then run `tablewright lake rebuild`' : '';
      this.alarms.add(`${name}Behind`, age, Duration.minutes(10).toMilliseconds(), `${name} is ten minutes behind, or more${lost}`);
    }
    const silver = following.filter(([name]) => lakes.has(name)).map(([name, consumer]) => ({ name, metric: this.silverBehindOf(name, consumer) }));
    for (const { name, metric } of silver) {
      this.alarms.add(`${name}SilverBehind`, metric, Duration.minutes(15).toSeconds(), `Silver and gold of ${name} could not be brought up to date for 15 minutes, or more: its log tells why, \`tablewright lake status\` of what`);
    }
    for (const [name, consumer] of consumers) {
      this.alarms.add(`${name}Errors`, consumer.metricErrors(sum), 5, `${name} fails again and again`);
    }

    const graph = (title: string, left: cloudwatch.IMetric[]) => new cloudwatch.GraphWidget({ title, left, width: 12 });
    new cloudwatch.Dashboard(this, 'Dashboard', {
      widgets: [
        [graph('Requests', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]), graph('Latency', [api.metricLatency({ statistic: 'p50' }), api.metricLatency({ statistic: 'p99' })])],
        [graph('Throttled', throttles.map(({ metric }) => metric)), graph('Given up', [...dead.map(({ name, metric }) => metric.with({ label: name })), failed.metricApproximateNumberOfMessagesVisible({ label: 'by Lambda' })])],
        ...(silver.length > 0 ? [[graph('Silver behind, in seconds', silver.map(({ name, metric }) => metric.with({ label: name })))]] : []),
        [
          graph('Behind, in milliseconds', following.map(([label, consumer]) => consumer.metric('IteratorAge', { statistic: 'Maximum', label }))),
          graph('Failed', [...consumers].map(([label, consumer]) => consumer.metricErrors({ ...sum, label }))),
        ],
      ],
    });
  }

  /** Read from the log as well. */
  private silverBehindOf(name: string, consumer: lambda.Function): cloudwatch.Metric {
    const told = new logs.MetricFilter(this, `${name}SilverLines`, {
      logGroup: consumer.logGroup,
      filterPattern: logs.FilterPattern.stringValue('$.message', '=', LOOKED),
      metricNamespace: 'Tablewright',
      metricName: `${Stack.of(this).stackName}-${name}-silver-behind`,
      metricValue: '$.behind_seconds',
    });
    return told.metric({ period: FIVE_MINUTES, statistic: 'Maximum' });
  }

  /** Counted from the log, since a function shows nobody its counters. */
  private deadLettersOf(name: string, consumer: lambda.Function): cloudwatch.Metric {
    const counted = new logs.MetricFilter(this, `${name}DeadLetterLines`, {
      logGroup: consumer.logGroup,
      filterPattern: logs.FilterPattern.stringValue('$.message', '=', DEAD_LETTER),
      metricNamespace: 'Tablewright',
      metricName: `${Stack.of(this).stackName}-${name}-dead-letters`,
    });
    return counted.metric({ period: FIVE_MINUTES, statistic: 'Sum' });
  }
}
