import type * as Accounts from "../accounts.js";

const account: Accounts.AccountData = { pk: "ada", name: "Ada", balance: Number.MAX_SAFE_INTEGER };

const transfer: Accounts.Transfer = {
  transfer_id: "01HNF0Q7ZJ8W3X5Y7Z9A1B3C5D",
  source: "ada",
  target: "grace",
  amount: 1250,
  at: "2024-01-31T10:00:00.000Z",
};

const request: Accounts.AccountRequest = {
  caller: "ada",
  request_id: "c0ffee",
  request_hash: "a".repeat(64),
  response_data: "{\"balance\":0}",
  http_status_code: 200,
  created_at: "2024-01-31T10:00:00.000Z",
  expires_at: 1706781600,
};

export const accounts = {
  AccountData: [account, { pk: "grace", name: "G", balance: 0 }] satisfies Accounts.AccountData[],
  Transfer: [transfer, { ...transfer, note: "Rent" }] satisfies Accounts.Transfer[],
  AccountRequest: [request] satisfies Accounts.AccountRequest[],
  Account: [{ data: account, data_version: 2, last_write: 1706695200000 }] satisfies Accounts.Account[],
  VersionedTransfer: [
    { data: transfer, data_version: 1, last_write: 1706695200000 },
  ] satisfies Accounts.VersionedTransfer[],
  VersionedAccountRequest: [
    { data: request, data_version: 1, last_write: 1706695200000 },
  ] satisfies Accounts.VersionedAccountRequest[],
};
