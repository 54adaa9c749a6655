import { SecretValue } from 'aws-cdk-lib';
import * as ses from 'aws-cdk-lib/aws-ses';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** From whom mails are, and how they are sent. */
export interface MailProps {
  /** The domain they are of, which Amazon SES verifies by its DNS. */
  readonly domain: string;
  /** As `Tasks <noreply@example.org>`. */
  readonly from: string;
  /** The secret of AWS Secrets Manager that has `smtp_url`: SMTP credentials of SES are made by hand, once. */
  readonly smtpUrlSecret: string;
}

/** A domain that sends mails, and a topic that tells which of them came back. */
export class MailIdentity extends Construct {
  readonly bounces: sns.Topic;
  /** What the service is told. */
  readonly settings: Record<string, string>;

  constructor(scope: Construct, id: string, props: MailProps) {
    super(scope, id);
    const set = new ses.ConfigurationSet(this, 'Set', {
      suppressionReasons: ses.SuppressionReasons.BOUNCES_AND_COMPLAINTS,
      reputationMetrics: true,
      tlsPolicy: ses.ConfigurationSetTlsPolicy.REQUIRE,
    });
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
}
