import type { JsonObject } from './components.js';

/** Paths with references to shared responses and parameters, and the shared parts by name. */
type SharedParts = {
  readonly paths: JsonObject;
  readonly responses: JsonObject;
  readonly parameters: JsonObject;
};

/** A response or parameter with the name that it gets if it is shared: its status or its own name. A short name is repeated often. */
type Part = readonly [name: string, part: JsonObject];

/** Replaces each response and parameter that occurs several times with a reference to one shared part. */
export function shareParts(paths: Readonly<Record<string, JsonObject>>): SharedParts {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as JsonObject[]);
  const responses = createList('responses', operations.flatMap(answersOf));
  const parameters = createList('parameters', operations.flatMap(parametersOf));
  const share = (operation: JsonObject): JsonObject => ({
    ...operation,
    parameters: parametersOf(operation).map(([, part]) => parameters.refTo(part)),
    responses: mapValues(operation['responses'] as Record<string, JsonObject>, responses.refTo),
  });
  return {
    paths: mapValues(paths, (item) => mapValues(item as Record<string, JsonObject>, share)),
    responses: responses.shared,
    parameters: parameters.shared,
  };
}

function answersOf({ responses }: JsonObject): Part[] {
  const answers = Object.entries(responses as Record<string, JsonObject>);
  return answers.map(([status, answer]) => [status, answer]);
}

function parametersOf({ parameters }: JsonObject): Part[] {
  return (parameters as JsonObject[]).map((each) => [String(each['name']), each]);
}

/** Collects the parts that occur several times. Different parts with the same name get numbers. */
function createList(
  kind: string,
  parts: readonly Part[],
): { readonly shared: JsonObject; readonly refTo: (part: JsonObject) => JsonObject } {
  const counts = new Map<string, number>();
  for (const [, part] of parts) {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const shared: Record<string, JsonObject> = {};
  for (const [name, part] of parts) {
    const text = JSON.stringify(part);
    if (names.has(text) || counts.get(text) === 1) continue;
    const free = freeName(name, shared);
    names.set(text, free);
    shared[free] = part;
  }
  return {
    shared,
    refTo: (part) => {
      const name = names.get(JSON.stringify(part));
      return name === undefined ? part : { $ref: `#/components/${kind}/${name}` };
    },
  };
}

function freeName(name: string, taken: JsonObject): string {
  let [free, number] = [name, 1];
  while (free in taken) free = `${name}.${(number += 1)}`;
  return free;
}

function mapValues(
  from: Readonly<Record<string, JsonObject>>,
  map: (value: JsonObject) => JsonObject,
): JsonObject {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));
}
