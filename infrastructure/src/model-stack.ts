import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

import { Alarms } from './alarms';
import type { Model } from './model';
import { ModelTables } from './model-tables';
import { throttledOf } from './throttled';
import type { DeploymentProps } from './versioned-table';

/** A model, how it is deployed, and the stack. */
export interface ModelStackProps extends StackProps, DeploymentProps {
  readonly model: Model;
}

/**
 * An example to begin with: the tables of a model, alarms for when they are throttled, and for each of its services the role a function runs in. Where tenancy is declared, the
 * function's own role reaches no table, and assumes another for each caller.
 */
export class ModelStack extends Stack {
  readonly tables: ModelTables;

  constructor(scope: Construct, id: string, props: ModelStackProps) {
    super(scope, id, props);
    const { model } = props;
    this.tables = new ModelTables(this, 'Tables', props);
    new Alarms(this, 'Alarms').addThrottles(throttledOf(this.tables));
    for (const { name, statements } of model.services) {
      const role = new iam.Role(this, `${name}-role`, {
        assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
        description: `The service ${name} of ${model.model}`,
      });
      const hasTenant = statements.some(({ leading_keys: keys }) => keys.some((key) => key.includes('${tenant}')));
      const acting = hasTenant ? this.tables.tenantRole(`${name}-tenant`, role, name) : role;
      if (!hasTenant) {
        this.tables.grant(role, name);
      }
      new CfnOutput(this, `${name}-role-arn`, { value: acting.roleArn });
    }
  }
}
