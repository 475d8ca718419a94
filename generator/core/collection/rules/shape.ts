import { metricsOf } from '../../../../schemas/catalog.js';
import type { CollectedDay } from '../values/collected-day.js';
import { isValue, metricsIn } from '../values/day-values.js';
import type { Finding } from '../finding.js';

const INTEGER = /^(0|[1-9]\d*)$/;

/** Returns whether all counts of a day are integers, so that they can be compared. */
export function areIntegers(counts: CollectedDay['counts']): boolean {
  return Object.values(counts).every((count) => INTEGER.test(count));
}

/** Finds invalid values: of metrics that the chain does not have, counts with fractions, and texts that are not numbers. */
export function findShapeFaults({ chain, values, counts }: CollectedDay): Finding[] {
  const fault = (metrics: Finding['metrics'], message: string): Finding => ({
    rule: 'shape',
    metrics,
    effect: 'withheld',
    message,
  });
  const foreign = metricsIn(values).filter((metric) => !metricsOf(chain).includes(metric));
  const wrong = metricsIn(values).filter(
    (metric) => !foreign.includes(metric) && !isValue(metric, values[metric] ?? ''),
  );
  const odd = Object.keys(counts).filter((name) => !INTEGER.test(counts[name] ?? ''));
  return [
    ...foreign.map((metric) => fault([metric], `${chain} has no metric ${metric}.`)),
    ...wrong.map((metric) =>
      fault([metric], `${metric} is "${values[metric] ?? ''}", which is not a valid value.`),
    ),
    ...odd.map((name) => fault(metricsIn(values), `${name} is "${counts[name] ?? ''}", not an integer.`)),
  ];
}
