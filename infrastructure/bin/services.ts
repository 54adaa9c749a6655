/** The services of this repository that run as functions. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Duration } from 'aws-cdk-lib';

import type { ServiceStackProps } from '../src';

/** What shows nothing of anybody: parts of pages, which sign people in themselves, health, and descriptions. */
const OPEN = ['/page/{proxy+}', '/docs', '/docs/{proxy+}', '/openapi.json', '/health', '/health/{proxy+}', '/problems', '/problems/{proxy+}'];

/** Where the pages of a service begin: it writes the list itself, by a test that fails when a page is missing from it. */
export function pages(service: string): string[] {
  return JSON.parse(readFileSync(join(__dirname, `../../models/${service}.pages.json`), 'utf8')) as string[];
}

/** By the name of their model. */
export const SERVICES: Readonly<Record<string, Pick<ServiceStackProps, 'service' | 'authorized' | 'open' | 'consumers' | 'bus' | 'mail' | 'lake' | 'lakeTables' | 'secrets' | 'settings'>>> = {
  todo: {
    service: 'todo',
    authorized: ['/api/{proxy+}'],
    open: [...pages('todo'), ...OPEN],
    lake: true,
    lakeTables: join(__dirname, '../../models/todo.lake.template.json'),
    consumers: [
      // It takes off what the service counts.
      { name: 'todo-counts', service: 'todo' },
      { name: 'todo-lake', writesLake: true },
    ],
  },
  tasks: {
    service: 'tasks',
    authorized: ['/api/{proxy+}'],
    // Who says that a mail came back has a token of its own, not one of the issuer.
    open: [...pages('tasks'), ...OPEN, '/api/v1/mail/bounces'],
    bus: true,
    secrets: ['bounce_token'],
    mail: { domain: 'example.org', from: 'Tasks <noreply@example.org>', smtpUrlSecret: 'tasks/smtp-url', bounces: '/api/v1/mail/bounces' },
    consumers: [
      { name: 'tasks-cleaner', service: 'cleaner' },
      { name: 'tasks-historian', service: 'historian' },
      { name: 'tasks-notifier', service: 'notifier' },
      // A mail that was not taken at once is sent when it is due, also when nothing changes meanwhile.
      { name: 'tasks-waiting-mails', service: 'notifier', every: Duration.minutes(1) },
      { name: 'tasks-events-bus', publishes: true },
    ],
  },
  ask: {
    service: 'ask',
    authorized: ['/admin/{proxy+}'],
    // Agents have keys of their own, people a cookie, and the pages sign in who needs it.
    open: ['/', '/{proxy+}'],
    secrets: ['people_secret', 'metrics_token'],
    consumers: [
      { name: 'ask-dispatcher', service: 'dispatcher' },
      { name: 'ask-webhooks', service: 'webhooks' },
      { name: 'ask-places', service: 'sweeper' },
      { name: 'ask-catch-up', service: 'dispatcher', every: Duration.minutes(1) },
      { name: 'ask-sweeper', service: 'sweeper', every: Duration.minutes(1) },
    ],
  },
};
