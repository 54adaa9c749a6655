/** What whoever deploys says on the command line, as `-c issuer=… -c tasks_email_domains=…`, and what is still missing then. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { ServiceStackProps } from '../src';

/** What was said, by its name. */
export type Said = Readonly<Record<string, unknown>>;

/** What a browser must know to register with Firebase. They are no secrets: the page has them. */
export const FIREBASE = ['fcm_project', 'fcm_app', 'fcm_api_key', 'fcm_vapid_key'] as const;

/** The key file of a service account of Firebase, beside the programs. */
export const KEY_FILE = 'firebase.json';

/** Where a function may write; what is there goes with it. */
const SCRATCH = '/tmp/push';

/** Whose tokens are taken where nobody says it: an example, which signs nobody in. */
const EXAMPLE = { issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example', audience: '3n4b5c6d7e' };

/** The service as it is deployed: a part of its description, and what was said of it. */
type Described = Pick<ServiceStackProps, 'service' | 'mail' | 'settings'>;

/** Who signs the tokens, and for whom they are. */
export function tokensSaid(said: Said): Pick<ServiceStackProps, 'issuer' | 'audience'> {
  return { issuer: text(said, 'issuer') ?? EXAMPLE.issuer, audience: (text(said, 'audience') ?? EXAMPLE.audience).split(',') };
}

/** From whom mails are. */
export function mailSaid({ mail }: Described, said: Said): Pick<ServiceStackProps, 'mail'> {
  const domain = text(said, 'mail_domain');
  if (!mail) {
    return {};
  }
  const smtpUrlSecret = text(said, 'smtp_url_secret') ?? mail.smtpUrlSecret;
  const from = text(said, 'mail_from') ?? (domain === undefined ? mail.from : mail.from.replace(mail.domain, domain));
  if (!from.replace(/>$/, '').endsWith(`@${domain ?? mail.domain}`)) {
    throw new Error(`mails are from an address of the domain that is verified: \`-c mail_domain=${domain ?? mail.domain} -c mail_from=${from}\` is not`);
  }
  return { mail: { ...mail, from, smtpUrlSecret, domain: domain ?? mail.domain } };
}

/**
 * The settings of a service: each that was said with its name before it, as `tasks_page_url`; the client as which pages sign people in; and of Ask-a-Human how it
 * reaches Firebase, where the key file is in the folder of the programs.
 */
export function settingsSaid({ service, settings }: Described, said: Said, programs: string): Record<string, string> {
  const all: Record<string, string> = { ...settings };
  const client = text(said, 'sign_in_client');
  if (client !== undefined) {
    all['TABLEWRIGHT_SIGN_IN_CLIENT'] = client;
  }
  for (const name of Object.keys(said).filter((name) => name.startsWith(`${service}_`))) {
    const value = text(said, name);
    if (value !== undefined) {
      all[setting(name.slice(service.length + 1))] = value;
    }
  }
  return service === 'ask' ? { ...all, ...firebase(all, said, programs) } : all;
}

function firebase(settings: Readonly<Record<string, string>>, said: Said, programs: string): Record<string, string> {
  const words = FIREBASE.map((name) => [name, text(said, name) ?? settings[setting(name)]] as const);
  const missing = words.filter(([, value]) => value === undefined).map(([name]) => name);
  const hasKey = existsSync(join(programs, KEY_FILE));
  if (missing.length > 0 && missing.length < FIREBASE.length) {
    throw new Error(`for browsers to register, ${FIREBASE.join(', ')} are said together: ${missing.join(', ')} is missing`);
  }
  if (missing.length === 0 && !hasKey) {
    throw new Error(`for browsers to register, the key file of Firebase is needed as well: ${join(programs, KEY_FILE)} is missing`);
  }
  const known = missing.length > 0 ? [] : words.map(([name, value]) => [setting(name), value!] as const);
  return {
    ...Object.fromEntries(known),
    ...(hasKey ? { TABLEWRIGHT_FCM_CREDENTIALS: KEY_FILE } : { TABLEWRIGHT_PUSH_FOLDER: SCRATCH }),
  };
}

/** What is missing for a service to work when it is deployed so, in sentences. */
export function lacking({ service, mail }: Described, said: Said, programs: string): string[] {
  const lacks: string[] = [];
  if (!existsSync(join(programs, service))) {
    lacks.push(`${join(programs, service)} is missing: build it with \`cargo build --profile dist -p ${service} --features lambda\`, and put it there`);
  }
  if (text(said, 'issuer') === undefined || text(said, 'audience') === undefined) {
    lacks.push('whose tokens are taken was not said: `-c issuer=https://… -c audience=…`');
  }
  if (mail && text(said, 'mail_domain') === undefined) {
    lacks.push(`from which domain mails are was not said: \`-c mail_domain=…\`; ${mail.domain} is nobody's`);
  }
  if (service === 'ask' && !existsSync(join(programs, KEY_FILE))) {
    lacks.push(`${join(programs, KEY_FILE)} is missing, the key file of a service account of Firebase: people can use the service, and nobody is notified`);
  }
  return lacks;
}

function setting(name: string): string {
  return `TABLEWRIGHT_${name.toUpperCase()}`;
}

function text(said: Said, name: string): string | undefined {
  const value = said[name];
  return value === undefined || value === '' ? undefined : String(value);
}
