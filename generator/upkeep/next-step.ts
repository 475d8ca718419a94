import { CHAIN_IDS, CHAINS } from '../../schemas/catalog.js';
import { REFUSAL_KEY } from '../../schemas/paths.js';
import { unholdWords } from '../core/release/held.js';
import { plural } from '../core/text/count.js';
import { signingStep } from './signing-step.js';
import { futureStep, type StepOptions } from './future-step.js';
import type { StoreStatus } from './store-status.js';
import { settleStep } from './waiting-refusals.js';

/** Returns what a person does next about a store, as a command or a sentence. */
export function nextStep(status: Omit<StoreStatus, 'next'>, options: StepOptions): string {
  const { format } = options;
  const { address, hold, chains, damage, signing } = status;
  if (damage?.startsWith(`${REFUSAL_KEY} `) === true)
    return `the record of refusals is damaged; to empty it, so that the next run fills it: ${format(['repair', '--store', address])}`;
  if (damage !== null) return `the store is damaged: ${format(['verify', '--store', address])}`;
  const publish = format(['publish', '--input', 'DIR', '--store', address]);
  if (status.aliases.behind !== 0) return refreshStep(status, options);
  if (status.from_future !== null) return futureStep(status, options);
  if (signing !== null && signing.remedy !== null) return signingStep(signing.remedy, address, format);
  if (hold !== null)
    return `publication is held (${hold}); once the cause is fixed: ${format(unholdWords(address))}`;
  const held = CHAIN_IDS.filter((chain) => status.holds[chain] !== undefined);
  const refusal = status.refusals.find(({ chain }) => chain === null || !held.includes(chain));
  if (refusal !== undefined) return settleStep(refusal);
  const overdue = CHAIN_IDS.filter((chain) => chains[chain]?.overdue && !held.includes(chain));
  if (overdue.length > 0)
    return `${overdue.join(', ')} overdue: check the input of ${plural(overdue.length, 'that chain', 'those chains')}, then: ${publish}`;
  const stale = CHAIN_IDS.filter((chain) => {
    const state = chains[chain];
    return state?.freshness === 'stale' && state.warming_up === null && !held.includes(chain);
  });
  if (stale.length > 0)
    return `${stale.map((chain) => CHAINS[chain].name).join(', ')}: no recent date has enough metrics to be available; check which metrics the input lacks`;
  if (held.length > 0)
    return `${held.join(', ')} held; once the cause is fixed: ${format(unholdWords(address, held))}`;
  const due =
    Object.values(chains)
      .map((chain) => chain.expected_next_by)
      .sort()[0] ?? '';
  return `nothing to do until the next date, which is due by ${due}`;
}

function refreshStep({ aliases, address }: Omit<StoreStatus, 'next'>, { format }: StepOptions): string {
  const fault = aliases.behind > 0 ? 'the public copies lag' : 'aliases.json is ahead of the release';
  return `${fault}; to refresh the public copies: ${format(['repair', '--store', address])}`;
}
