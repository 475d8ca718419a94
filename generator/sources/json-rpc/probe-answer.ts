import { describeValue } from '../shape-error.js';
import { SourceError, type Probe } from '../source.js';
import type { JsonRpc, RpcCall } from './json-rpc.js';

/** The form that a value must have. */
export type Form = {
  /** Such as `a quantity`. */
  readonly expected: string;
  readonly has: (value: unknown) => boolean;
};

/**
 * Sends a call as a batch of one, because Bitcoin Core answers the errors of other calls with status 500. A refusal becomes a
 * text, such as `the error -32601: no such method`. @throws SourceError 'unavailable'
 */
export async function askAnyway(
  rpc: JsonRpc,
  call: RpcCall,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | { readonly refused: string }> {
  try {
    const [answer] = await rpc.batch([call], signal);
    if (answer === undefined || 'result' in answer) return { value: answer?.result };
    return { refused: `the error ${answer.error.code}: ${answer.error.message}` };
  } catch (error) {
    if (error instanceof SourceError && error.code === 'shape') return { refused: error.message };
    throw error;
  }
}

/** Compares a value with a form. A value of the form is shown by its text, if `show` returns one. */
export function probeValue(
  item: string,
  { expected, has }: Form,
  asked: { readonly value: unknown } | { readonly refused: string },
  show: (value: unknown) => string = () => expected,
): Probe {
  if ('refused' in asked) return { item, expected, found: asked.refused, agrees: false };
  const agrees = has(asked.value);
  return { item, expected, found: agrees ? show(asked.value) : describeValue(asked.value), agrees };
}

/** Compares fields of an object with their forms. */
export function probeFields(
  what: string,
  forms: { readonly [field: string]: Form },
  value: unknown,
): Probe[] {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  return Object.entries(forms).map(([name, form]) =>
    probeValue(`field ${name} of ${what}`, form, { value: fields[name] }),
  );
}
