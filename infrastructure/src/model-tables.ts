import * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

import type { Model, Service, Statement } from './model';
import { type DeploymentProps, VersionedTable } from './versioned-table';

/** The tag of a session that says whose it is. */
export const TENANT_TAG = 'tenant';

/** Which model, and how it is deployed. */
export interface ModelTablesProps extends DeploymentProps {
  readonly model: Model;
}

/** How a grant is limited. */
export interface GrantOptions {
  /**
   * What stands for the tenant in a key: a policy variable, by default the session's tag `tenant`; or `*`, for a program that acts for all
   * tenants, such as one that follows the change stream.
   */
  readonly tenant?: string;
}

/** All tables of a model, and what its services may do with them. */
export class ModelTables extends Construct {
  readonly model: Model;
  private readonly tables = new Map<string, VersionedTable>();

  constructor(scope: Construct, id: string, props: ModelTablesProps) {
    super(scope, id);
    const { model, ...deployment } = props;
    this.model = model;
    for (const definition of model.tables) {
      this.tables.set(definition.name, new VersionedTable(this, definition.name, { ...deployment, definition }));
    }
  }

  /** A table by its name in the model. */
  table(name: string): VersionedTable {
    const table = this.tables.get(name);
    if (!table) {
      throw new Error(`${this.model.model} has no table ${name}; it has ${[...this.tables.keys()].join(', ')}`);
    }
    return table;
  }

  /** Allows what the patterns of a service need, and nothing else. */
  grant(grantee: iam.IGrantable, service: string, options: GrantOptions = {}): iam.Grant {
    const tenant = options.tenant ?? `\${aws:PrincipalTag/${TENANT_TAG}}`;
    const grants = this.service(service).statements.map((statement) =>
      iam.Grant.addToPrincipal({
        grantee,
        actions: statement.actions.map((action) => `dynamodb:${action}`),
        resourceArns: this.arns(statement),
        ...conditions(statement, tenant),
      }),
    );
    return grants.reduce((all, grant) => all.combine(grant), iam.Grant.drop(grantee, `${service} does nothing`));
  }

  /**
   * A role that acts for one tenant: the grantee assumes it for each caller, with the tag `tenant`, and then reaches the keys of that tenant
   * only, whatever its code asks for.
   */
  tenantRole(id: string, grantee: iam.IGrantable, service: string): iam.Role {
    const tag = `aws:RequestTag/${TENANT_TAG}`;
    const trusted = new iam.PrincipalWithConditions(grantee.grantPrincipal, { StringLike: { [tag]: '?*' } });
    const role = new iam.Role(this, id, {
      assumedBy: new iam.SessionTagsPrincipal(trusted),
      description: `What the service ${service} of ${this.model.model} does for one tenant`,
    });
    this.grant(role, service);
    return role;
  }

  /** Allows to read the change streams of the model, or of one table. */
  grantStream(grantee: iam.IGrantable, table?: string): iam.Grant {
    const all = (table === undefined ? [...this.tables.values()] : [this.table(table)]).map(({ table }) => table);
    const followed = all.filter(({ tableStreamArn }) => tableStreamArn !== undefined);
    const streams = followed.flatMap(({ tableStreamArn }) => tableStreamArn ?? []);
    if (streams.length === 0) {
      throw new Error(`${table ?? this.model.model} has no stream: declare one in the model`);
    }
    const read = iam.Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resourceArns: streams,
    });
    // A table tells its stream. Listing cannot be held to one table.
    const told = iam.Grant.addToPrincipal({ grantee, actions: ['dynamodb:DescribeTable'], resourceArns: followed.map(({ tableArn }) => tableArn) });
    return read.combine(told).combine(iam.Grant.addToPrincipal({ grantee, actions: ['dynamodb:ListStreams'], resourceArns: ['*'] }));
  }

  /** Allows to read tables whole, and nothing else: for a lake that is made anew. */
  grantScan(grantee: iam.IGrantable, table: string): iam.Grant {
    return iam.Grant.addToPrincipal({ grantee, actions: ['dynamodb:Scan'], resourceArns: [this.table(table).table.tableArn] });
  }

  private service(name: string): Service {
    const service = this.model.services.find((service) => service.name === name);
    if (!service) {
      const names = this.model.services.map((service) => service.name).join(', ');
      throw new Error(`${this.model.model} has no service ${name}; it has ${names}`);
    }
    return service;
  }

  private arns(statement: Statement): string[] {
    return statement.resources.map(({ table, index }) => {
      const { tableArn } = this.table(table).table;
      return index === null ? tableArn : `${tableArn}/index/${index}`;
    });
  }
}

function conditions({ leading_keys: keys }: Statement, tenant: string) {
  if (keys.length === 0) {
    return {};
  }
  return {
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys.map((key) => key.replaceAll('${tenant}', tenant)) },
      // Of no keys, all are like these.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  };
}
