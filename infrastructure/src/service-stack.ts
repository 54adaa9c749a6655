import { CfnOutput, Duration, RemovalPolicy, Size, Stack, type StackProps } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as events from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as secrets from 'aws-cdk-lib/aws-secretsmanager';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

import { LakeBucket } from './lake-bucket';
import { MailIdentity, type MailProps } from './mail-identity';
import type { Model } from './model';
import { ModelTables } from './model-tables';
import type { DeploymentProps } from './versioned-table';
import { Watch } from './watch';

/** A program that follows the change stream of a table, or is called from time to time, as a function of its own. */
export interface ConsumerProps {
  /** Its name, as the service knows it: `tasks-notifier`. */
  readonly name: string;
  /** The service of the model whose patterns it uses; none where it only tells others. */
  readonly service?: string;
  /** Whether it puts events on the bus. */
  readonly publishes?: boolean;
  /** Whether it writes the lake. */
  readonly writesLake?: boolean;
  /** Not the stream calls it, but a schedule, every so often. */
  readonly every?: Duration;
}

/** A service, and what it runs with. */
export interface ServiceStackProps extends StackProps, DeploymentProps {
  readonly model: Model;
  /** The service of the model that answers requests, and the name of its program. */
  readonly service: string;
  /** A folder with `bootstrap` and the programs, built with `--features lambda`. */
  readonly code: lambda.Code;
  readonly architecture?: lambda.Architecture;
  /** Who signs the tokens, and for whom they are. */
  readonly issuer: string;
  readonly audience: readonly string[];
  /** Paths that need a token: the gateway refuses others before a function runs. */
  readonly authorized: readonly string[];
  /** Paths that know their callers in another way, or show nothing of anybody: pages, health, descriptions. */
  readonly open: readonly string[];
  readonly consumers?: readonly ConsumerProps[];
  /** The table in which consumers remember what they did, of the model `stream`. */
  readonly followers?: ModelTables;
  /** Which table is followed; the only one with a stream unless said. */
  readonly followed?: string;
  /** Whether there is a bus for events. */
  readonly bus?: boolean;
  readonly mail?: MailProps;
  /** Whether there is a bucket for a data lake: who writes it is a consumer. */
  readonly lake?: boolean;
  /** The template with the tables of the lake for AWS Glue. */
  readonly lakeTables?: string;
  /** Settings that are secrets of the service alone, as `people_secret`: they are made here. */
  readonly secrets?: readonly string[];
  /** Further settings of the service, as `TABLEWRIGHT_PAGE_URL` where its page has another address than the gateway: links in mails and notifications lead there. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A service in an account: tables, functions, a gateway, triggers, and what tells when something is wrong. */
export class ServiceStack extends Stack {
  readonly tables: ModelTables;
  readonly api: apigateway.HttpApi;
  readonly consumers = new Map<string, lambda.Function>();
  private readonly secrets = new Map<string, string>();

  constructor(scope: Construct, id: string, private readonly props: ServiceStackProps) {
    super(scope, id, props);
    this.tables = new ModelTables(this, 'Tables', props);
    const bus = props.bus ? new events.EventBus(this, 'Events', { eventBusName: `${props.tablePrefix ?? ''}${props.service}` }) : undefined;
    const mail = props.mail ? new MailIdentity(this, 'Mail', props.mail) : undefined;
    const lake = props.lake ? new LakeBucket(this, 'Lake', { ...props, ...(props.lakeTables === undefined ? {} : { tables: props.lakeTables }) }) : undefined;
    const settings = {
      ...this.settings(),
      ...mail?.settings,
      ...(bus ? { TABLEWRIGHT_EVENTS_BUS: bus.eventBusArn } : {}),
      ...(lake ? { TABLEWRIGHT_LAKE: lake.address } : {}),
      ...props.settings,
    };

    const answers = this.program('Function', props.service, settings, 'Answers requests');
    // The service acts for whoever asks: it compares whose the items are, and its policy the forms of their keys.
    this.tables.grant(answers, props.service, { tenant: '*' });
    lake?.grantRead(answers);
    this.api = this.gateway(answers);

    const failed = new sqs.Queue(this, 'Failed', {
      queueName: `${props.tablePrefix ?? ''}${props.service}-failed`,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    for (const consumer of props.consumers ?? []) {
      // Not the function that answers: the gateway is made of it.
      const follows = this.consumer(consumer, { TABLEWRIGHT_PAGE_URL: this.api.apiEndpoint, ...settings }, failed);
      if (bus && consumer.publishes) {
        bus.grantPutEventsTo(follows);
      }
      if (consumer.writesLake) {
        if (!lake) {
          throw new Error(`${consumer.name} writes the lake: say \`lake: true\``);
        }
        lake.grantWrite(follows);
        this.tables.grantScan(follows, this.followed());
      }
      this.consumers.set(consumer.name, follows);
    }
    const scheduled = new Set((props.consumers ?? []).flatMap(({ name, every }) => (every ? [name] : [])));
    const lakes = new Set((props.consumers ?? []).flatMap(({ name, writesLake }) => (writesLake ? [name] : [])));
    new Watch(this, 'Watch', { api: this.api, answers, consumers: this.consumers, scheduled, lakes, failed, tables: this.tables, tablePrefix: props.tablePrefix });
    if (mail && props.mail?.bounces !== undefined) {
      const token = this.secrets.get('bounce_token');
      if (!token) {
        throw new Error("who tells of `bounces` has a secret of its own: say `secrets: ['bounce_token']`");
      }
      mail.tell(`${this.api.apiEndpoint}${props.mail.bounces}`, token, failed);
    }
    new CfnOutput(this, 'Url', { value: this.api.apiEndpoint });
  }

  /** What every program of the service is told. */
  private settings(): Record<string, string> {
    const { issuer, audience, tablePrefix, environment } = this.props;
    const secret = (id: string, description: string, removalPolicy?: RemovalPolicy) => {
      const generateSecretString = { passwordLength: 48, excludePunctuation: true };
      return new secrets.Secret(this, id, { description, generateSecretString, ...(removalPolicy ? { removalPolicy } : {}) }).secretValue.unsafeUnwrap();
    };
    // What is in the tables may be good for nothing without them, as the people of `people_secret`: they stay where the tables do.
    const stays = this.props.removalPolicy ?? (environment === 'sandbox' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN);
    for (const name of this.props.secrets ?? []) {
      this.secrets.set(name, secret(name, `The setting ${name} of ${this.props.service}`, stays));
    }
    const own = [...this.secrets].map(([name, value]) => [`TABLEWRIGHT_${name.toUpperCase()}`, value]);
    return {
      ...(Object.fromEntries(own) as Record<string, string>),
      TABLEWRIGHT_ENDPOINT: 'aws',
      TABLEWRIGHT_TABLE_PREFIX: tablePrefix ?? '',
      TABLEWRIGHT_ISSUER: issuer,
      TABLEWRIGHT_AUDIENCE: audience.join(','),
      TABLEWRIGHT_CURSOR_SECRET: secret('CursorSecret', `Seals the cursors of ${this.props.service}`),
      AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH: 'true',
      // A request that takes too long is told so before its function ends.
      TABLEWRIGHT_REQUEST_TIMEOUT: '28s',
    };
  }

  private program(id: string, handler: string, environment: Record<string, string>, description: string, more: Partial<lambda.FunctionProps> = {}): lambda.Function {
    return new lambda.Function(this, id, {
      runtime: lambda.Runtime.PROVIDED_AL2023,
      architecture: this.props.architecture ?? lambda.Architecture.X86_64,
      code: this.props.code,
      handler,
      description,
      environment,
      memorySize: 256,
      // The gateway waits for 30 seconds.
      timeout: Duration.seconds(29),
      logGroup: new logs.LogGroup(this, `${id}Logs`, { retention: logs.RetentionDays.THREE_MONTHS }),
      ...more,
    });
  }

  private gateway(answers: lambda.Function): apigateway.HttpApi {
    const { issuer, audience, service, authorized, open } = this.props;
    const api = new apigateway.HttpApi(this, 'Api', { apiName: `${this.props.tablePrefix ?? ''}${service}`, createDefaultStage: false });
    const access = new logs.LogGroup(this, 'ApiLogs', { retention: logs.RetentionDays.THREE_MONTHS });
    new apigateway.HttpStage(this, 'Stage', {
      httpApi: api,
      autoDeploy: true,
      accessLogSettings: { destination: new apigateway.LogGroupLogDestination(access) },
    });
    const integration = new HttpLambdaIntegration('Answers', answers);
    const tokens = new HttpJwtAuthorizer('Tokens', issuer, { jwtAudience: [...audience] });
    for (const path of authorized) {
      api.addRoutes({ path, methods: [apigateway.HttpMethod.ANY], integration, authorizer: tokens });
      // A browser asks without a token whether a page of another site may: the service says which (`cors_origins`).
      api.addRoutes({ path, methods: [apigateway.HttpMethod.OPTIONS], integration });
    }
    for (const path of open) {
      api.addRoutes({ path, methods: [apigateway.HttpMethod.ANY], integration });
    }
    return api;
  }

  private consumer({ name, service, every, writesLake }: ConsumerProps, settings: Record<string, string>, failed: sqs.Queue): lambda.Function {
    const { followers } = this.props;
    if (!followers) {
      throw new Error(`${name} needs \`followers\`: the tables of the model \`stream\``);
    }
    const handler = `${this.props.service}+follow+${name}`;
    const more: Partial<lambda.FunctionProps> = {
      // A mail server may think for ten minutes, and what a schedule calls may find much to do; what cannot end before the end of the call is not begun.
      timeout: Duration.minutes(15),
      // One process writes a lake. It has a part of it in memory twice when that is renewed; and at times it makes all parts anew from the table, as files: eight of the largest that fit into its memory.
      ...(writesLake ? { reservedConcurrentExecutions: 1, memorySize: 1024, ephemeralStorageSize: Size.gibibytes(4) } : {}),
      // The next call does what this one has not done.
      ...(every ? { retryAttempts: 0, onFailure: new SqsDestination(failed) } : {}),
    };
    const follows = this.program(name, handler, settings, every ? `Looks after what time brings, as ${name}` : `Follows changes as ${name}`, more);
    if (service) {
      this.tables.grant(follows, service, { tenant: '*' });
    }
    if (every) {
      new events.Rule(this, `${name}Schedule`, { schedule: events.Schedule.rate(every), targets: [new LambdaFunction(follows)] });
      return follows;
    }
    followers.grant(follows, 'stream');
    // It has a stream; that the type of a table leaves that open, and the interface does not, is the CDK's.
    const table = this.tables.table(this.followed()).table as dynamodb.ITable;
    follows.addEventSource(
      new DynamoEventSource(table, {
        startingPosition: lambda.StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        reportBatchItemFailures: true,
        // With a window events tell of which shard they are, which a lake must know; and the end of one is a time to bring it up to date.
        ...(writesLake ? { batchSize: 1000, tumblingWindow: Duration.minutes(1) } : { bisectBatchOnError: true }),
        // What the world is against is tried for a day; what fails by itself becomes a dead letter of ours long before.
        retryAttempts: 10_000,
        maxRecordAge: Duration.hours(24),
        onFailure: new SqsDlq(failed),
      }),
    );
    return follows;
  }

  private followed(): string {
    const streams = this.props.model.tables.filter(({ stream }) => stream !== null).map(({ name }) => name);
    const followed = this.props.followed ?? (streams.length === 1 ? streams[0] : undefined);
    if (followed === undefined || !streams.includes(followed)) {
      throw new Error(`\`followed\` is one of the tables with a stream: ${streams.join(', ') || 'there is none'}`);
    }
    return followed;
  }
}
