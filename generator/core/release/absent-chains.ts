import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { Chain, ReleaseRecord } from '../../../schemas/types.generated.js';
import type { InputFault } from '../input/input-series.js';

/** Returns the published chains that the input lacks. `selected`: the chains that the operator chose; default: all. */
export function findAbsentChains(
  record: ReleaseRecord | undefined,
  present: readonly Chain[],
  selected: readonly Chain[] = CHAIN_IDS,
): Chain[] {
  return selected.filter((chain) => record?.chains[chain] !== undefined && !present.includes(chain));
}

/** Returns the fault of an input without the file of a published chain. */
export function absentFault(chain: Chain, record: ReleaseRecord | undefined, remedy: string): InputFault {
  const through = record?.chains[chain]?.updated_through ?? '';
  const message = `is absent from the input, but the store has ${chain} through ${through}`;
  return { chain, file: `${chain}.csv`, message, remedy };
}

/** Returns the chains that no fault names. */
export function withoutFaults(chains: readonly Chain[], faults: readonly InputFault[]): Chain[] {
  return chains.filter((chain) => !faults.some((fault) => fault.chain === chain));
}
