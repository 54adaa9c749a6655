/** The services of this repository that run as functions. */

import type { ServiceStackProps } from '../src';

/** What shows nothing of anybody: pages, which sign people in themselves, health, and descriptions. */
const OPEN = ['/', '/page/{proxy+}', '/docs', '/docs/{proxy+}', '/openapi.json', '/health', '/health/{proxy+}', '/problems', '/problems/{proxy+}'];

/** By the name of their model. */
export const SERVICES: Readonly<Record<string, Pick<ServiceStackProps, 'service' | 'authorized' | 'open' | 'consumers' | 'bus' | 'mail'>>> = {
  todo: { service: 'todo', authorized: ['/api/{proxy+}'], open: OPEN },
  tasks: {
    service: 'tasks',
    authorized: ['/api/{proxy+}'],
    // Who says that a mail came back has a token of its own, not one of the issuer.
    open: [...OPEN, '/tasks/{proxy+}', '/api/v1/mail/bounces'],
    bus: true,
    mail: { domain: 'example.org', from: 'Tasks <noreply@example.org>', smtpUrlSecret: 'tasks/smtp-url' },
    consumers: [
      { name: 'tasks-cleaner', service: 'cleaner' },
      { name: 'tasks-historian', service: 'historian' },
      { name: 'tasks-notifier', service: 'notifier' },
      { name: 'tasks-events-bus', publishes: true },
    ],
  },
};
