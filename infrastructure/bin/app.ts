/** A stack for each model of this repository. `cdk synth -c environment=production` for production; a sandbox otherwise. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { App } from 'aws-cdk-lib';

import { type Environment, ModelStack, readModel } from '../src';

const MODELS = join(__dirname, '../../models');

/** Production on demand until its rates are known, but for what says otherwise (S1-49). */
const PROVISIONED = ['tasks'];

const app = new App();
const environment: Environment = app.node.tryGetContext('environment') === 'production' ? 'production' : 'sandbox';
const files = readdirSync(MODELS).filter((file) => /^[^.]+\.json$/.test(file));

for (const file of files) {
  const model = readModel(join(MODELS, file));
  const provisioned = environment === 'production' && PROVISIONED.includes(model.model);
  new ModelStack(app, `${environment}-${model.model}`, {
    model,
    environment,
    tablePrefix: `${environment}-`,
    ...(provisioned ? { billing: 'provisioned' } : {}),
    description: `${model.title ?? model.model}: tables and roles`,
  });
}
