import { SecretValue } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as ses from 'aws-cdk-lib/aws-ses';
import * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** From whom mails are, and how they are sent. */
export interface MailProps {
  /** The domain they are of, which Amazon SES verifies by its DNS. */
  readonly domain: string;
  /** As `Tasks <noreply@example.org>`. */
  readonly from: string;
  /** The secret of AWS Secrets Manager that has `smtp_url`: SMTP credentials of SES are made by hand, once. */
  readonly smtpUrlSecret: string;
  /** The path of the service that is told which mails came back, with its secret `bounce_token`; nobody is told unless said. */
  readonly bounces?: string;
}

/** A domain that sends mails, and a topic that tells which of them came back. */
export class MailIdentity extends Construct {
  readonly bounces: sns.Topic;
  /** What the service is told. */
  readonly settings: Record<string, string>;
  private readonly set: ses.ConfigurationSet;

  constructor(scope: Construct, id: string, props: MailProps) {
    super(scope, id);
    const set = new ses.ConfigurationSet(this, 'Set', {
      suppressionReasons: ses.SuppressionReasons.BOUNCES_AND_COMPLAINTS,
      reputationMetrics: true,
      tlsPolicy: ses.ConfigurationSetTlsPolicy.REQUIRE,
    });
    this.set = set;
    this.bounces = new sns.Topic(this, 'Bounces', { displayName: 'Mails that came back', enforceSSL: true });
    set.addEventDestination('ToTopic', {
      destination: ses.EventDestination.snsTopic(this.bounces),
      events: [ses.EmailSendingEvent.BOUNCE, ses.EmailSendingEvent.COMPLAINT],
    });
    new ses.EmailIdentity(this, 'Domain', { identity: ses.Identity.domain(props.domain), configurationSet: set });
    this.settings = {
      TABLEWRIGHT_MAIL_FROM: props.from,
      TABLEWRIGHT_SMTP_URL: SecretValue.secretsManager(props.smtpUrlSecret).unsafeUnwrap(),
    };
  }

  /** Tells the service of mails that came back, at a URL, with the token it knows who may by. What cannot be told for a day is in the queue. */
  tell(url: string, token: string, failed: sqs.IQueue): void {
    // Amazon SES tells the bus every account has, and no other.
    const bus = events.EventBus.fromEventBusName(this, 'Bus', 'default');
    this.set.addEventDestination('ToBus', { destination: ses.EventDestination.eventBus(bus), events: [ses.EmailSendingEvent.BOUNCE] });
    const connection = new events.Connection(this, 'Connection', {
      authorization: events.Authorization.apiKey('Authorization', SecretValue.unsafePlainText(`Bearer ${token}`)),
    });
    // That its class leaves the ARN for policies open, and the interface does not, is the CDK's.
    const told = new events.ApiDestination(this, 'Told', { connection, endpoint: url, httpMethod: events.HttpMethod.POST }) as events.IApiDestination;
    const event = events.RuleTargetInput.fromObject({
      messageId: events.EventField.fromPath('$.detail.mail.commonHeaders.messageId'),
      reason: events.EventField.fromPath('$.detail.bounce.bounceType'),
    });
    new events.Rule(this, 'Bounced', {
      eventPattern: { source: ['aws.ses'], detailType: ['Email Bounced'], detail: { mail: { tags: { 'ses:configuration-set': [this.set.configurationSetName] } } } },
      targets: [new targets.ApiDestination(told, { event, deadLetterQueue: failed })],
    });
  }
}
