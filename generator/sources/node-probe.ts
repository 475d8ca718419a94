import type { JsonRpc, RpcAnswer, RpcCall } from './json-rpc.js';
import { describeValue, type Probe, SourceError, StatusError } from './source.js';

/** The form that a value must have. */
export type Form = {
  /** Such as `a quantity`. */
  readonly expected: string;
  readonly has: (value: unknown) => boolean;
};

/** The result of a call, or how the node refused it. */
export type Asked = { readonly value: unknown } | { readonly refused: string };

/**
 * Sends a call as a batch of one, because Bitcoin Core answers the errors of other calls with status 500. A refusal becomes a
 * text, such as `the error -32601: no such method`. @throws SourceError 'unavailable', or if the node refuses the password
 */
export async function askAnyway(rpc: JsonRpc, call: RpcCall, signal: AbortSignal): Promise<Asked> {
  try {
    const [answer] = await rpc.batch([call], signal);
    if (answer === undefined || 'result' in answer) return { value: answer?.result };
    return { refused: `the error ${answer.error.code}: ${answer.error.message}` };
  } catch (error) {
    if (!(error instanceof SourceError) || error.code !== 'shape') throw error;
    if (error instanceof StatusError && error.status === 401) throw error; // all other calls would be refused too
    return { refused: error.message };
  }
}

/** Compares a value with a form. A value of the form is shown by its text, if `show` returns one. */
export function probeValue(
  item: string,
  { expected, has }: Form,
  asked: Asked,
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

/** Compares an object with its form, and its fields with theirs if it has it. */
export function probeObject(
  item: string,
  form: Form,
  asked: Asked,
  {
    what,
    forms,
    show,
  }: {
    readonly what: string;
    readonly forms: { readonly [field: string]: Form };
    readonly show?: (value: unknown) => string;
  },
): Probe[] {
  const probe = probeValue(item, form, asked, show);
  return probe.agrees && 'value' in asked ? [probe, ...probeFields(what, forms, asked.value)] : [probe];
}

const LONGEST_CLIENT = 120;

/** Asks for the name of a node's program, which some nodes do not tell. @throws SourceError, but not if only that is refused */
export async function askClient(
  rpc: JsonRpc,
  call: RpcCall,
  nameOf: (value: unknown) => unknown,
  signal: AbortSignal,
): Promise<string> {
  const asked = await askAnyway(rpc, call, signal);
  return toClientName('value' in asked ? nameOf(asked.value) : undefined, rpc.scrub);
}

/** Compares the name of a node's program. A node need not tell it. */
export function probeClient(item: string, asked: Asked, scrub: JsonRpc['scrub']): Probe {
  const expected = 'name and version, or unknown';
  const name = toClientName('value' in asked ? asked.value : undefined, scrub);
  return { item, expected, found: 'refused' in asked ? `${name}: ${asked.refused}` : name, agrees: true };
}

/** Returns the name and version of a node's program as text that can be printed; `unknown` for none. */
export function toClientName(value: unknown, scrub: JsonRpc['scrub']): string {
  if (typeof value !== 'string' || value.trim() === '') return 'unknown';
  return scrub(value.replace(/\p{C}/gu, '?')).trim().slice(0, LONGEST_CLIENT);
}

/**
 * Sends a batch as large as the source sends them. Fewer calls cost more requests, but are no difference. Returns the answers
 * to the first calls, as many as the node takes at once. @throws SourceError 'unavailable'
 */
export async function probeBatch(
  rpc: JsonRpc,
  calls: readonly RpcCall[],
  signal: AbortSignal,
): Promise<{ readonly probe: Probe; readonly answers: readonly RpcAnswer[] }> {
  const item = `batch of ${calls.length} ${calls[0]?.method ?? 'calls'}`;
  const expected = 'an answer to each';
  try {
    const answers = await rpc.part(calls, signal);
    const found = answers.length === calls.length ? expected : `${expected} of at most ${answers.length}`;
    return { probe: { item, expected, found, agrees: true }, answers };
  } catch (error) {
    if (!(error instanceof SourceError) || error.code !== 'shape') throw error;
    return { probe: { item, expected, found: error.message, agrees: false }, answers: [] };
  }
}
