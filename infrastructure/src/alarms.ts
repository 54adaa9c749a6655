import { CfnOutput, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

import type { Throttled } from './throttled';

/** What nobody would notice in time, and a topic that tells of it. */
export class Alarms extends Construct {
  readonly topic: sns.Topic;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.topic = new sns.Topic(this, 'Topic', { displayName: `${Stack.of(this).stackName}: something is wrong`, enforceSSL: true });
    // A topic that has a policy, as this one has to be reached over TLS only, is open to nobody else than the policy says.
    this.topic.addToResourcePolicy(
      new iam.PolicyStatement({
        principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    new CfnOutput(this, 'TopicArn', { value: this.topic.topicArn, description: 'Tells of alarms: subscribe somebody' });
  }

  /** Tells when a number is that high, or higher. */
  add(id: string, metric: cloudwatch.IMetric, threshold: number, alarmDescription: string): void {
    const alarm = new cloudwatch.Alarm(this, id, {
      metric,
      threshold,
      alarmDescription,
      evaluationPeriods: 1,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
  }

  /** Tells of every request to tables and indexes that had no room. */
  addThrottles(all: readonly Throttled[]): void {
    for (const { id, what, metric } of all) {
      this.add(`${id}Throttles`, metric, 1, `Requests to ${what} were throttled`);
    }
  }
}
