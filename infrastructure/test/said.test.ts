/** What whoever deploys the example says, and is told when it is too little. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { Match } from 'aws-cdk-lib/assertions';

import { FIREBASE, KEY_FILE, lacking, mailSaid, type Said, settingsSaid, tokensSaid } from '../bin/said';
import { SERVICES } from '../bin/services';
import type { ServiceStackProps } from '../src';
import { properties, service, type Tree } from './support';

const WORDS: Said = { fcm_project: 'asking', fcm_app: '1:2:web:3', fcm_api_key: 'key', fcm_vapid_key: 'public' };

/** Folders of programs: with nothing, and with all there should be. */
const folders = { empty: mkdtempSync(join(tmpdir(), 'programs-')), full: mkdtempSync(join(tmpdir(), 'programs-')) };
for (const file of ['todo', 'tasks', 'ask', KEY_FILE]) {
  writeFileSync(join(folders.full, file), '');
}
after(() => Object.values(folders).forEach((folder) => rmSync(folder, { recursive: true })));

function settings(name: string, said: Said, programs = folders.empty): Record<string, string> {
  return settingsSaid(SERVICES[name]!, said, programs);
}

test('what is sent to people has links to the page, at the gateway unless said', () => {
  const page = (props: Partial<ServiceStackProps>) => {
    const functions = properties(service('tasks', props).toJSON() as Tree, 'AWS::Lambda::Function');
    const notifier = functions.find((one) => one['Handler'] === 'tasks+follow+tasks-notifier')!;
    return JSON.stringify(((notifier['Environment'] as Tree)['Variables'] as Tree)['TABLEWRIGHT_PAGE_URL']);
  };
  assert.match(page({}), /ApiEndpoint/);
  assert.equal(page({ settings: settings('tasks', { tasks_page_url: 'https://tasks.example.org' }) }), '"https://tasks.example.org"');
});

test('every setting of a service can be said, and is of that service alone', () => {
  const said = { tasks_email_domains: 'example.org', sign_in_client: '3n4b', issuer: 'https://issuer.example.org' };
  assert.deepEqual(settings('tasks', said), { TABLEWRIGHT_EMAIL_DOMAINS: 'example.org', TABLEWRIGHT_SIGN_IN_CLIENT: '3n4b' });
  assert.deepEqual(settings('todo', said), { TABLEWRIGHT_SIGN_IN_CLIENT: '3n4b' });
  assert.deepEqual(tokensSaid({ issuer: 'https://one.example.org', audience: 'a,b' }), { issuer: 'https://one.example.org', audience: ['a', 'b'] });
});

test('mails are of the domain that is said', () => {
  const said = (words: Said) => mailSaid(SERVICES['tasks']!, words).mail;
  assert.equal(said({ mail_domain: 'tasks.example.com' })?.from, 'Tasks <noreply@tasks.example.com>');
  service('tasks', mailSaid(SERVICES['tasks']!, { mail_domain: 'tasks.example.com', mail_from: 'us@tasks.example.com', smtp_url_secret: 'mine' })).hasResourceProperties(
    'AWS::SES::EmailIdentity',
    { EmailIdentity: 'tasks.example.com' },
  );
  assert.throws(() => said({ mail_domain: 'example.com', mail_from: 'us@example.net' }), /an address of the domain that is verified/);
  assert.throws(() => said({ mail_domain: 'example.com', mail_from: 'us@notexample.com' }), /an address of the domain that is verified/);
  assert.deepEqual(mailSaid(SERVICES['todo']!, { mail_domain: 'example.com' }), {});
});

test('browsers can register with the app of Firebase that is said, whole or not at all', () => {
  service('ask', { settings: settings('ask', WORDS, folders.full) }).hasResourceProperties('AWS::Lambda::Function', {
    Handler: 'ask',
    Environment: {
      Variables: Match.objectLike({
        TABLEWRIGHT_FCM_CREDENTIALS: 'firebase.json',
        TABLEWRIGHT_FCM_PROJECT: 'asking',
        TABLEWRIGHT_FCM_APP: '1:2:web:3',
        TABLEWRIGHT_FCM_API_KEY: 'key',
        TABLEWRIGHT_FCM_VAPID_KEY: 'public',
      }),
    },
  });
  assert.deepEqual(settings('todo', WORDS, folders.full), {});
  for (const missing of FIREBASE) {
    const { [missing]: _, ...others } = WORDS;
    assert.throws(() => settings('ask', others, folders.full), new RegExp(`${missing} is missing`));
  }
  assert.throws(() => settings('ask', WORDS, folders.empty), /firebase\.json is missing/);
});

test('without a key file of Firebase no function looks for one, and each writes where it may', () => {
  assert.deepEqual(settings('ask', {}, folders.full), { TABLEWRIGHT_FCM_CREDENTIALS: 'firebase.json' });
  assert.deepEqual(settings('ask', {}), { TABLEWRIGHT_PUSH_FOLDER: '/tmp/push' });
});

test('what is missing is told, and nothing is when all is there', () => {
  const all = { issuer: 'https://issuer.example.org', audience: 'us', mail_domain: 'tasks.example.com' };
  for (const [name, service] of Object.entries(SERVICES)) {
    assert.deepEqual(lacking(service, all, folders.full), [], name);
    const lacks = lacking(service, {}, folders.empty).join('\n');
    assert.match(lacks, new RegExp(`${name} is missing: build it with .*-p ${name} --features lambda`));
    assert.match(lacks, /-c issuer=https:.* -c audience=/);
    assert.equal(/-c mail_domain=/.test(lacks), name === 'tasks', lacks);
    assert.equal(/firebase\.json is missing/.test(lacks), name === 'ask', lacks);
  }
});
