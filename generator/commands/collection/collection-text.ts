import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { AwaitedDate, Chain, Drift } from '../../../schemas/types.generated.js';
import type { Paint } from '../../../infra/process/paint.js';
import { formatShellCommand } from '../../../infra/process/shell-command.js';
import type { CollectedChain, CollectionStatus } from '../../upkeep/collection-status.js';
import { formatNamed } from './accept-values.js';
import type { CommonOptions } from '../common/context.js';
import { REASON_PLACEHOLDER } from '../common/options.js';

/** Number of dates, and of differences, that are named one by one. */
const NAMED = 5;

/** Returns the command line that accepts the value that a source has now, with the usual name of the policy. */
export function formatAcceptDrift(
  program: readonly string[],
  { endpoint, pathStyle }: Pick<CommonOptions, 'endpoint' | 'pathStyle'>,
  address: string,
  chain: Chain,
  { date, metric, to }: Pick<Drift, 'date' | 'metric' | 'to'>,
): string {
  return formatShellCommand([
    ...[...program, 'collect', '--policy', 'sources.policy.json', '--into', address],
    ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
    ...(pathStyle === undefined ? [] : ['--path-style']),
    ...[
      '--chain',
      chain,
      '--accept',
      formatNamed({ date, metric, value: to }),
      '--reason',
      REASON_PLACEHOLDER,
    ],
  ]);
}

/** Returns what a collection has and awaits as text, a line for each fact. */
export function formatCollection(
  { address, sequence, as_of: asOf, chains }: CollectionStatus,
  paint: Paint,
): string {
  const lines = CHAIN_IDS.flatMap((chain) => {
    const collected = chains[chain];
    return collected === undefined ? [] : describeChain(chain, collected, paint);
  });
  return [`collected  ${address} (collection ${sequence}), last change ${asOf}`, ...lines].join('\n');
}

function describeChain(
  chain: Chain,
  { through, late_seconds: late, awaited, drifts }: CollectedChain,
  paint: Paint,
): string[] {
  const hours = Math.floor((late ?? 0) / 3600);
  const isLate = (late ?? 0) > 0;
  const [first] = drifts;
  return [
    `  ${chain}: through ${through ?? 'nothing yet'}${isLate ? `, ${paint('LATE')} by ${hours} h` : ''}`,
    ...nameSome(awaited, (each) => describeAwaited(each, paint)),
    ...nameSome(drifts, describeDrift),
    ...(first === undefined ? [] : [`    to accept the first, with your policy: ${first.accept}`]),
  ];
}

function nameSome<T>(all: readonly T[], describe: (each: T) => string): string[] {
  const rest = all.length - NAMED;
  return [
    ...all.slice(0, NAMED).map((each) => `    ${describe(each)}`),
    ...(rest > 0 ? [`    and ${rest} more (--json lists all)`] : []),
  ];
}

function describeAwaited(
  { date, missing, sources, since, until, overdue, reasons }: AwaitedDate,
  paint: Paint,
): string {
  const what = missing.length === 0 ? 'everything' : missing.join(', ');
  const when = overdue ? `${paint('OVERDUE')} since ${until}` : `until ${until}`;
  return [`${date} awaits ${what} from ${sources.join(', ')} since ${since}, ${when}.`, ...reasons].join(' ');
}

function describeDrift({ date, metric, from, to, source, since }: Drift): string {
  return `${date} ${metric}: accepted ${from ?? 'nothing'}, ${source} has ${to} since ${since}; needs a decision.`;
}
