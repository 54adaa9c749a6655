// Accounts and transfers with ElectroDB, as its documentation has them written.
import { Entity, Service } from 'electrodb';
import { PAGE, client, load, table } from './load.mjs';

const account = new Entity({
  model: { entity: 'account', version: '1', service: 'bank' },
  attributes: {
    id: { type: 'string', required: true },
    name: { type: 'string', required: true },
    balance: { type: 'number', required: true },
    shard: { type: 'number', required: true },
    last_write: { type: 'number', required: true },
  },
  indexes: {
    byId: { pk: { field: 'PK', composite: ['id'] }, sk: { field: 'SK', composite: [] } },
    byName: {
      index: 'GSI1',
      pk: { field: 'GSI1PK', composite: ['shard'] },
      sk: { field: 'GSI1SK', composite: ['name', 'id'] },
    },
  },
}, { client, table });

const transfer = new Entity({
  model: { entity: 'transfer', version: '1', service: 'bank' },
  attributes: {
    id: { type: 'string', required: true },
    source: { type: 'string', required: true },
    target: { type: 'string', required: true },
    amount: { type: 'number', required: true },
    note: { type: 'string' },
    at: { type: 'string', required: true },
    last_write: { type: 'number', required: true },
  },
  indexes: {
    byId: { pk: { field: 'PK', composite: ['id'] }, sk: { field: 'SK', composite: [] } },
    bySource: {
      index: 'GSI1',
      pk: { field: 'GSI1PK', composite: ['source'] },
      sk: { field: 'GSI1SK', composite: ['at', 'id'] },
    },
    byTarget: {
      index: 'GSI2',
      pk: { field: 'GSI2PK', composite: ['target'] },
      sk: { field: 'GSI2SK', composite: ['at', 'id'] },
    },
  },
}, { client, table });

const bank = new Service({ account, transfer });

await load({
  create: item => account.create(item).go(),
  get: async id => (await account.get({ id }).go()).data,
  paid: item => transfer.create(item).go(),
  page: async source => (await transfer.query.bySource({ source }).go({ limit: PAGE, order: 'desc' })).data,
  transfer: async item => {
    const { canceled } = await bank.transaction.write(({ account, transfer }) => [
      account.patch({ id: item.source }).add({ balance: -item.amount })
        .where((attribute, operation) => operation.gte(attribute.balance, item.amount)).commit(),
      account.patch({ id: item.target }).add({ balance: item.amount }).commit(),
      transfer.create(item).commit(),
    ]).go();
    if (canceled) throw new Error('the transfer was cancelled');
  },
});
