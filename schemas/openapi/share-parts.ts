import type { JsonObject } from './components.js';

/** Paths with references to shared responses and parameters, and the shared parts by name. */
export type SharedParts = {
  readonly paths: JsonObject;
  readonly responses: JsonObject;
  readonly parameters: JsonObject;
};

/** A response or parameter with the name that it gets if it is shared. */
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

function answersOf({ operationId, responses }: JsonObject): Part[] {
  const answers = Object.entries(responses as Record<string, JsonObject>);
  return answers.map(([status, answer]) => [`${String(operationId)}.${status}`, answer]);
}

function parametersOf({ parameters }: JsonObject): Part[] {
  return (parameters as JsonObject[]).map((each) => [String(each['name']), each]);
}

/** Collects the parts that occur several times, each under the first of its names that is free. */
function createList(
  kind: string,
  parts: readonly Part[],
): { readonly shared: JsonObject; readonly refTo: (part: JsonObject) => JsonObject } {
  const namesByText = new Map<string, string[]>();
  for (const [name, part] of parts) {
    const text = JSON.stringify(part);
    namesByText.set(text, [...(namesByText.get(text) ?? []), name]);
  }
  const names = new Map<string, string>();
  const shared: Record<string, JsonObject> = {};
  const seen = new Set<string>();
  for (const [, part] of parts) {
    const text = JSON.stringify(part);
    const name = namesByText.get(text)?.find((each) => shared[each] === undefined);
    if (seen.has(text) && !names.has(text) && name !== undefined) {
      names.set(text, name);
      shared[name] = part;
    }
    seen.add(text);
  }
  return {
    shared,
    refTo: (part) => {
      const name = names.get(JSON.stringify(part));
      return name === undefined ? part : { $ref: `#/components/${kind}/${name}` };
    },
  };
}

function mapValues(
  from: Readonly<Record<string, JsonObject>>,
  map: (value: JsonObject) => JsonObject,
): JsonObject {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));
}
