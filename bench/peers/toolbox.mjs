// Accounts and transfers with DynamoDB-Toolbox, as its documentation has them written.
import {
  $add, Entity, GetItemCommand, PutItemCommand, PutTransaction, QueryCommand, Table, UpdateTransaction, executeTransactWrite, item, number, string,
} from 'dynamodb-toolbox';
import { PAGE, client, load, table } from './load.mjs';

const key = name => ({ name, type: 'string' });
const bank = new Table({
  documentClient: client,
  name: table,
  partitionKey: key('PK'),
  sortKey: key('SK'),
  indexes: {
    GSI1: { type: 'global', partitionKey: key('GSI1PK'), sortKey: key('GSI1SK') },
    GSI2: { type: 'global', partitionKey: key('GSI2PK'), sortKey: key('GSI2SK') },
  },
});

const Account = new Entity({
  name: 'Account',
  table: bank,
  timestamps: false,
  schema: item({
    id: string().key(),
    name: string(),
    balance: number(),
    shard: number(),
    last_write: number(),
  }).and(() => ({
    GSI1PK: string().link(({ shard }) => `ACCOUNTS#${shard}`),
    GSI1SK: string().link(({ name, id }) => `${name}#${id}`),
  })),
  computeKey: ({ id }) => ({ PK: `ACCOUNT#${id}`, SK: 'ACCOUNT' }),
});

const Transfer = new Entity({
  name: 'Transfer',
  table: bank,
  timestamps: false,
  schema: item({
    id: string().key(),
    source: string(),
    target: string(),
    amount: number(),
    note: string().optional(),
    at: string(),
    last_write: number(),
  }).and(() => ({
    GSI1PK: string().link(({ source }) => `SOURCE#${source}`),
    GSI1SK: string().link(({ at, id }) => `${at}#${id}`),
    GSI2PK: string().link(({ target }) => `TARGET#${target}`),
    GSI2SK: string().link(({ at, id }) => `${at}#${id}`),
  })),
  computeKey: ({ id }) => ({ PK: `TRANSFER#${id}`, SK: 'TRANSFER' }),
});

const absent = { condition: { attr: 'id', exists: false } };

await load({
  create: account => Account.build(PutItemCommand).item(account).options(absent).send(),
  get: async id => (await Account.build(GetItemCommand).key({ id }).send()).Item,
  paid: transfer => Transfer.build(PutItemCommand).item(transfer).options(absent).send(),
  page: async source => (await bank.build(QueryCommand)
    .query({ index: 'GSI1', partition: `SOURCE#${source}` })
    .entities(Transfer)
    .options({ limit: PAGE, reverse: true })
    .send()).Items,
  transfer: transfer => executeTransactWrite(
    Account.build(UpdateTransaction)
      .item({ id: transfer.source, balance: $add(-transfer.amount) })
      .options({ condition: { and: [{ attr: 'id', exists: true }, { attr: 'balance', gte: transfer.amount }] } }),
    Account.build(UpdateTransaction)
      .item({ id: transfer.target, balance: $add(transfer.amount) })
      .options({ condition: { attr: 'id', exists: true } }),
    Transfer.build(PutTransaction).item(transfer).options(absent),
  ),
});
