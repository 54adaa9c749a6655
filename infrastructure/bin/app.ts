/**
 * A stack for each model of this repository, with its service where that runs as functions. `cdk synth -c environment=production` for production; a
 * sandbox otherwise. `-c issuer=https://… -c audience=…` say whose tokens are taken; `said.ts` has what else can be said, and warns of what is missing.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { Annotations, App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';

import { type Environment, ModelStack, readModel, ServiceStack } from '../src';
import { lacking, mailSaid, settingsSaid, type Said, tokensSaid } from './said';
import { SERVICES } from './services';

const HERE = join(__dirname, '../..');
const MODELS = join(HERE, 'models');
const PROGRAMS = join(HERE, 'function');

/** Production on demand until its rates are known, but for what says otherwise (S1-49). */
const PROVISIONED = ['tasks'];

const app = new App();
const said = app.node.getAllContext() as Said;
const environment: Environment = said['environment'] === 'production' ? 'production' : 'sandbox';
const models = readdirSync(MODELS)
  .filter((file) => /^[^.]+\.json$/.test(file))
  .map((file) => readModel(join(MODELS, file)));

const deployment = (model: string) => ({
  environment,
  tablePrefix: `${environment}-`,
  ...(environment === 'production' && PROVISIONED.includes(model) ? { billing: 'provisioned' as const } : {}),
});

const plain = models.filter(({ model }) => !(model in SERVICES)).map((model) => {
  const description = `${model.title ?? model.model}: tables and roles`;
  return new ModelStack(app, `${environment}-${model.model}`, { model, ...deployment(model.model), description });
});
const followers = plain.find(({ tables }) => tables.model.model === 'stream')?.tables;

for (const model of models) {
  const service = SERVICES[model.model];
  if (service) {
    const stack = new ServiceStack(app, `${environment}-${model.model}`, {
      model,
      ...deployment(model.model),
      ...service,
      ...mailSaid(service, said),
      ...tokensSaid(said),
      settings: settingsSaid(service, said, PROGRAMS),
      ...(followers ? { followers } : {}),
      code: Code.fromAsset(PROGRAMS),
      description: `${model.title ?? model.model}: tables, functions and a gateway`,
    });
    for (const what of lacking(service, said, PROGRAMS)) {
      Annotations.of(stack).addWarning(what);
    }
  }
}
