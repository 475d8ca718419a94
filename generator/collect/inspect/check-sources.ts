import type { Chain } from '../../../schemas/types.generated.js';
import type { ExitName } from '../../core/generator-error.js';
import { SourceError, type Probe, type Source } from '../../sources/source.js';
import type { ChainPlan } from '../policy/chain-plan.js';

/** The form of a source for a chain, item by item; `error` if the source did not answer. */
export type CheckedSource = {
  readonly chain: Chain;
  readonly source: string;
  readonly items: readonly Probe[];
  readonly error: { readonly code: SourceError['code']; readonly message: string } | null;
};

/** Compares the form of what each source serves with what its adapter expects, for each chain that uses it. */
export async function checkSources(
  plans: readonly ChainPlan[],
  signal: AbortSignal,
  onChecked: (checked: CheckedSource) => void,
): Promise<CheckedSource[]> {
  const checked: CheckedSource[] = [];
  for (const { chain, parts, checks } of plans) {
    for (const { source } of [...parts, ...checks]) {
      const one = await checkSource(chain, source, signal);
      checked.push(one);
      onChecked(one);
    }
  }
  return checked;
}

async function checkSource(chain: Chain, source: Source, signal: AbortSignal): Promise<CheckedSource> {
  const named = { chain, source: source.facts.id };
  try {
    return { ...named, items: await source.probe(chain, signal), error: null };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { ...named, items: [], error: { code: error.code, message: error.message } };
  }
}

/** Returns the exit of a check: a difference needs a person, a source that does not answer may answer later. */
export function checkExitOf(checked: readonly CheckedSource[]): ExitName {
  const differs = checked.some(
    ({ items, error }) => error?.code === 'shape' || items.some(({ agrees }) => !agrees),
  );
  if (differs) return 'input-invalid';
  return checked.some(({ error }) => error !== null) ? 'store-unavailable' : 'done';
}
