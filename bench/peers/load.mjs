// The load every side in JavaScript is put under: `node SIDE.mjs ENDPOINT TABLE OPERATION CALLS RUN`. It prints what the calls took as JSON.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import assert from 'node:assert/strict';

/** As many ask at once; each has accounts of its own, so that no two transactions meet. */
const WORKERS = 8;
/** Calls before the clock counts: what is called often is compiled by then. */
const WARM_UP = 2000;
/** Transfers an account has made before, and how many a page has. */
const PAID = 40;
export const PAGE = 20;

const [, , endpoint, tableName, operation, calls, run] = process.argv;

export const table = tableName;
const base = new DynamoDBClient({
  endpoint,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
export const client = DynamoDBDocumentClient.from(base, { marshallOptions: { removeUndefinedValues: true } });

const payer = worker => `ada-${worker}`;
const payee = worker => `bob-${worker}`;
const account = id => ({ id, name: 'Lovelace', balance: 1_000_000_000, shard: Number([...id].length % 4), last_write: Date.now() });
let made = 0;
const transfer = (source, target) => ({
  // Larger as time goes on, as a ULID is.
  id: `${String(Date.now()).padStart(15, '0')}-${run}-${String(made++).padStart(9, '0')}`,
  source, target, amount: 1, note: 'for the plumber', at: new Date().toISOString(), last_write: Date.now(),
});

/** A side has `create(account)`, `get(id)`, `paid(transfer)`, `page(source)` and `transfer(transfer)`. */
export async function load(side) {
  const operations = {
    get: async (worker) => {
      const found = await side.get(payer(worker));
      assert.equal(found.name, 'Lovelace');
    },
    put: async (worker, number) => side.create(account(`new-${run}-${worker}-${number}`)),
    query: async (worker) => {
      const found = await side.page(payer(worker));
      assert.equal(found.length, PAGE);
      assert.ok(found[0].at >= found[PAGE - 1].at, 'the latest first');
    },
    transact: async (worker) => side.transfer(transfer(payer(worker), payee(worker))),
  };
  if (operation === 'seed') {
    for (let worker = 0; worker < WORKERS; worker++) {
      await side.create(account(payer(worker)));
      await side.create(account(payee(worker)));
      for (let number = 0; number < PAID; number++) await side.paid(transfer(payer(worker), payee(worker)));
    }
    return;
  }
  const before = (await side.get(payer(0))).balance;
  await crowd(operations[operation], WARM_UP, 'warm');
  const cpu = process.cpuUsage();
  const start = performance.now();
  await crowd(operations[operation], Number(calls), 'timed');
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (operation === 'transact') {
    const done = (WARM_UP + Number(calls)) / WORKERS;
    assert.equal((await side.get(payer(0))).balance, before - done, 'what was paid is gone');
  }
  console.log(JSON.stringify({ seconds, processor: (user + system) / 1e6 }));
}

function crowd(call, calls, name) {
  const each = calls / WORKERS;
  return Promise.all(Array.from({ length: WORKERS }, async (_, worker) => {
    for (let number = 0; number < each; number++) await call(worker, `${name}-${number}`);
  }));
}
