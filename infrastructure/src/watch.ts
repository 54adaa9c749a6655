import { Duration, Stack } from 'aws-cdk-lib';
import type * as apigateway from 'aws-cdk-lib/aws-apigatewayv2';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

import type { ModelTables } from './model-tables';

/** What is watched. */
export interface WatchProps {
  readonly api: apigateway.HttpApi;
  readonly answers: lambda.Function;
  readonly consumers: ReadonlyMap<string, lambda.Function>;
  /** Which of them no stream calls. */
  readonly scheduled: ReadonlySet<string>;
  readonly failed: sqs.Queue;
  readonly tables: ModelTables;
}

const FIVE_MINUTES = Duration.minutes(5);

/** Alarms for what nobody would notice in time, a topic that tells of them, and a dashboard of the same numbers. */
export class Watch extends Construct {
  readonly alarms: sns.Topic;

  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    this.alarms = new sns.Topic(this, 'Alarms', { displayName: `${Stack.of(this).stackName}: something is wrong`, enforceSSL: true });
    const { api, answers, consumers, scheduled, failed, tables } = props;
    const following = [...consumers].filter(([name]) => !scheduled.has(name));
    const sum = { period: FIVE_MINUTES, statistic: 'Sum' };
    const names = tables.model.tables.map(({ name }) => name);
    const throttles = names.map((name) => ({ name, metric: throttledOf(name, tables.table(name).table.tableName) }));

    this.alarm('ServerErrors', api.metricServerError(sum), 1, 'Requests were answered with 5xx');
    this.alarm('FunctionThrottles', answers.metricThrottles(sum), 1, 'Requests found no function to answer them');
    for (const { name, metric } of throttles) {
      this.alarm(`${name}Throttles`, metric, 1, `Requests to the table ${name} or its indexes were throttled`);
    }
    this.alarm('DeadLetters', failed.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: 'Maximum' }), 1, 'Changes were given up');
    for (const [name, consumer] of following) {
      const age = consumer.metric('IteratorAge', { period: FIVE_MINUTES, statistic: 'Maximum' });
      this.alarm(`${name}Behind`, age, Duration.minutes(10).toMilliseconds(), `${name} is ten minutes behind, or more`);
    }
    for (const [name, consumer] of consumers) {
      this.alarm(`${name}Errors`, consumer.metricErrors(sum), 5, `${name} fails again and again`);
    }

    const graph = (title: string, left: cloudwatch.IMetric[]) => new cloudwatch.GraphWidget({ title, left, width: 12 });
    new cloudwatch.Dashboard(this, 'Dashboard', {
      widgets: [
        [graph('Requests', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]), graph('Latency', [api.metricLatency({ statistic: 'p50' }), api.metricLatency({ statistic: 'p99' })])],
        [graph('Throttled', throttles.map(({ metric }) => metric)), graph('Given up', [failed.metricApproximateNumberOfMessagesVisible()])],
        [
          graph('Behind, in milliseconds', following.map(([label, consumer]) => consumer.metric('IteratorAge', { statistic: 'Maximum', label }))),
          graph('Failed', [...consumers].map(([label, consumer]) => consumer.metricErrors({ ...sum, label }))),
        ],
      ],
    });
  }

  private alarm(id: string, metric: cloudwatch.IMetric, threshold: number, alarmDescription: string): void {
    const alarm = new cloudwatch.Alarm(this, id, {
      metric,
      threshold,
      alarmDescription,
      evaluationPeriods: 1,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.alarms));
  }
}

/** Throttled reads and writes of a table, its indexes included. In one graph every number has a name of its own. */
function throttledOf(name: string, table: string): cloudwatch.MathExpression {
  const own = name.replace(/\W/g, '_');
  const of = (metricName: string) =>
    new cloudwatch.Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: table }, period: FIVE_MINUTES, statistic: 'Sum' });
  return new cloudwatch.MathExpression({
    expression: `FILL(reads_${own}, 0) + FILL(writes_${own}, 0)`,
    usingMetrics: { [`reads_${own}`]: of('ReadThrottleEvents'), [`writes_${own}`]: of('WriteThrottleEvents') },
    period: FIVE_MINUTES,
    label: name,
  });
}
