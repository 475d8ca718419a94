import { CHAIN_IDS, METRIC_NAMES, metricsOf } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';

type JsonObject = { readonly [name: string]: unknown };

/** The names that schemas spell out as members: where one of a list is a member, all of them are. */
const LISTS: readonly (readonly string[])[] = [
  CHAIN_IDS,
  CHAIN_IDS.map((chain) => `${chain}.csv`),
  METRIC_NAMES,
];

/** What the shared definitions take from the catalog. */
const SHARED: { readonly [definition: string]: JsonObject } = {
  chain: { enum: CHAIN_IDS },
  metric_name: { enum: METRIC_NAMES },
  chain_metrics: { allOf: CHAIN_IDS.map(metricsCondition) },
};

/** Returns a schema with a member for each chain and metric of the catalog, where it has one for any of them. */
export function fillSchema(schema: JsonObject): JsonObject {
  const filled = fillMembers(schema);
  if (schema['$id'] !== 'common.schema.json') return filled;
  const definitions = filled['$defs'] as JsonObject; // has them
  return {
    ...filled,
    $defs: mapValues(definitions, (value, name) => ({ ...(value as JsonObject), ...SHARED[name] })),
  };
}

function fillMembers<T>(node: T): T {
  if (Array.isArray(node)) return node.map(fillMembers) as T; // of the same form
  if (!isObject(node)) return node;
  const names = LISTS.find((list) => list.some((name) => name in node)) ?? [];
  const first = node[names.find((name) => name in node) ?? ''];
  const members = { ...Object.fromEntries(names.map((name) => [name, first])), ...node };
  return mapValues(members, fillMembers) as T; // the same
}

/** Returns the condition that a day of `chain` has each metric of the chain, and no other. */
function metricsCondition(chain: Chain): JsonObject {
  const names = metricsOf(chain);
  const metrics = { type: 'object', required: names, propertyNames: { enum: names } };
  return {
    if: { type: 'object', required: ['chain'], properties: { chain: { const: chain } } },
    then: { type: 'object', properties: { metrics } },
  };
}

/** Returns an example of a document in which each gold and derived day has the metrics of its chain, new ones without values. */
export function fillExample(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(fillExample);
  if (!isObject(node)) return node;
  const { schema, chain, metrics } = node;
  if (!['gold-day/1', 'derived-day/1'].includes(String(schema)) || !isObject(metrics))
    return mapValues(node, fillExample);
  const [first] = Object.values(metrics);
  const absent = isObject(first) ? mapValues(first, () => null) : null;
  const names = metricsOf(chain as Chain); // the example is valid
  return { ...node, metrics: Object.fromEntries(names.map((name) => [name, metrics[name] ?? absent])) };
}

function mapValues(object: JsonObject, map: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
