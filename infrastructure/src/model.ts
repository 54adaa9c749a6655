/** The JSON export of a model, as `tablewright generate` writes it. docs/infrastructure.md describes it. */

import { readFileSync } from 'node:fs';

/** A key attribute and its DynamoDB type. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

/** The fewest and the most units. */
export interface Units {
  readonly fewest: number;
  readonly most: number;
}

/** Provisioned units, and the use in percent that scaling aims at. */
export interface Capacity {
  readonly read: Units;
  readonly write: Units;
  readonly target: number;
}

/** A secondary index. */
export interface IndexDefinition {
  readonly name: string;
  readonly kind: 'global' | 'local';
  readonly partition_key: KeyAttribute;
  readonly sort_key?: KeyAttribute | null;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  /** With `INCLUDE`: the attributes besides keys. */
  readonly projected?: readonly string[] | null;
  /** Of a global index where its table is provisioned. */
  readonly capacity?: Capacity | null;
}

/** A table. Whoever writes one by hand needs a name and a partition key; the rest is as in a model that does not say it. */
export interface TableDefinition {
  readonly name: string;
  readonly partition_key: KeyAttribute;
  readonly sort_key?: KeyAttribute | null;
  readonly ttl?: string | null;
  readonly stream?: 'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'KEYS_ONLY' | null;
  readonly recovery?: boolean;
  readonly deletion_protection?: boolean;
  readonly billing?: 'on-demand' | 'provisioned';
  readonly capacity?: Capacity;
  readonly indexes?: readonly IndexDefinition[];
}

/** What is allowed, and where. */
export interface Statement {
  /** DynamoDB's actions, without `dynamodb:`. */
  readonly actions: readonly string[];
  readonly resources: readonly { readonly table: string; readonly index: string | null }[];
  /** Partition keys as a policy compares them, with `${tenant}` for the tenant; empty for all. */
  readonly leading_keys: readonly string[];
  /** The access patterns that need it. */
  readonly patterns: readonly string[];
}

/** A program that uses the model. */
export interface Service {
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** The export of a model. */
export interface Model {
  readonly format: 1;
  readonly model: string;
  readonly title: string | null;
  readonly tenant: string | null;
  readonly tables: readonly TableDefinition[];
  readonly services: readonly Service[];
}

/** Reads an export, and refuses what is none. */
export function readModel(path: string): Model {
  const found: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isModel(found)) {
    throw new Error(`${path} is no export of a model in format 1: write it with \`tablewright generate\``);
  }
  return found;
}

function isModel(found: unknown): found is Model {
  const model = found as Partial<Model> | null;
  return (
    typeof model === 'object' &&
    model !== null &&
    model.format === 1 &&
    typeof model.model === 'string' &&
    Array.isArray(model.tables) &&
    Array.isArray(model.services)
  );
}
