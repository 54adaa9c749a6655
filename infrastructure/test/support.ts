/** What the generated templates say, with their parameters filled in, and what the CDK makes of the same models. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';

import { SERVICES } from '../bin/services';
import { type Model, ModelStack, ModelTables, type ModelTablesProps, readModel, ServiceStack, type ServiceStackProps } from '../src';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type Tree = { readonly [key: string]: Json };

const MODELS = join(__dirname, '../../models');

/** The models of this repository. */
export const NAMES = ['todo', 'tasks', 'ask', 'accounts'];

export function model(name: string): Model {
  return readModel(join(MODELS, `${name}.json`));
}

/** A generated template, as JSON. */
export function generated(file: string): Tree {
  return JSON.parse(readFileSync(join(MODELS, file), 'utf8')) as Tree;
}

/** The tables of a model in a stack of their own, and its template. */
export function deployed(name: string, props: Omit<ModelTablesProps, 'model'> = {}) {
  const stack = new Stack(new App(), 'Stack');
  const tables = new ModelTables(stack, 'Tables', { model: model(name), ...props });
  return { stack, tables, template: () => Template.fromStack(stack) };
}

/** A service of this repository in an account. */
export function service(name: string, props: Partial<ServiceStackProps> = {}): Template {
  const app = new App();
  const { tables: followers } = new ModelStack(app, 'Stream', { model: model('stream') });
  const stack = new ServiceStack(app, 'Stack', {
    model: model(name),
    ...SERVICES[name]!,
    followers,
    tablePrefix: 'test-',
    code: Code.fromAsset(join(__dirname, '../../function')),
    issuer: 'https://issuer.example.org',
    audience: ['us', 'them'],
    ...props,
  });
  return Template.fromStack(stack);
}

/** The stack of a model: of its service, or of its tables alone. */
export function stack(name: string): Tree {
  const template = name in SERVICES ? service(name) : Template.fromStack(new ModelStack(new App(), 'Stack', { model: model(name) }));
  return template.toJSON() as Tree;
}

/** What CloudFormation would make of a piece of a template. `values` are parameters; of a condition, whether it holds. */
export function filled(piece: Json, values: { readonly [name: string]: string | boolean }): Json | undefined {
  if (Array.isArray(piece)) {
    return piece.map((part: Json) => filled(part, values)).filter((part) => part !== undefined);
  }
  if (typeof piece !== 'object' || piece === null) {
    return piece;
  }
  const tree = piece as Tree;
  const choice = tree['Fn::If'] as [string, Json, Json] | undefined;
  if (choice) {
    return filled(values[choice[0]] ? choice[1] : choice[2], values);
  }
  if (tree['Ref'] === 'AWS::NoValue') {
    return undefined;
  }
  const text = tree['Fn::Sub'];
  if (typeof text === 'string') {
    return text.replace(/\$\{([^}]+)\}/g, (all, name: string) => {
      const value = values[name];
      return name.startsWith('!') ? `\${${name.slice(1)}}` : typeof value === 'string' ? value : all;
    });
  }
  const entries = Object.entries(tree).map(([key, value]) => [key, filled(value, values)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Tree;
}

/** The properties of all resources of a type. */
export function properties(template: Tree, type: string): Tree[] {
  const resources = Object.values(template['Resources'] as Tree) as Tree[];
  return resources.filter((resource) => resource['Type'] === type).map((resource) => resource['Properties'] as Tree);
}

/** A policy's statements. */
export function statements(policy: Tree): Tree[] {
  return (policy['PolicyDocument'] as Tree)['Statement'] as Tree[];
}

/** One or several, as a list. */
export function list(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
