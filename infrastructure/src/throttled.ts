import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';

import type { ModelTables } from './model-tables';

/** How often requests to a table or an index were throttled. */
export interface Throttled {
  readonly id: string;
  /** As people call it. */
  readonly what: string;
  readonly metric: cloudwatch.MathExpression;
}

/** Of all tables of a model, and of their indexes. */
export function throttledOf(tables: ModelTables): Throttled[] {
  return tables.model.tables.flatMap(({ name, indexes }) => {
    const of = tables.table(name).table.tableName;
    // A table's numbers are without those of its global indexes; a local index is a part of its table.
    const global = (indexes ?? []).filter(({ kind }) => kind === 'global');
    return [
      { id: name, what: `the table ${name}`, metric: readsAndWrites(name, { TableName: of }) },
      ...global.map((index) => ({
        id: `${name}-${index.name}`,
        what: `the index ${index.name} of ${name}`,
        metric: readsAndWrites(`${name} ${index.name}`, { TableName: of, GlobalSecondaryIndexName: index.name }),
      })),
    ];
  });
}

/** In one graph every number has a name of its own. */
function readsAndWrites(label: string, dimensionsMap: Record<string, string>): cloudwatch.MathExpression {
  const own = label.replace(/\W/g, '_');
  const period = Duration.minutes(5);
  const of = (metricName: string) => new cloudwatch.Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, period, statistic: 'Sum' });
  return new cloudwatch.MathExpression({
    expression: `FILL(reads_${own}, 0) + FILL(writes_${own}, 0)`,
    usingMetrics: { [`reads_${own}`]: of('ReadThrottleEvents'), [`writes_${own}`]: of('WriteThrottleEvents') },
    period,
    label,
  });
}
