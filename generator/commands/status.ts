import { CHAIN_IDS } from '../../schemas/catalog.js';
import { openStore } from '../../infra/store/open-store.js';
import type { ExitName } from '../core/generator-error.js';
import { inspectStore, type StoreStatus } from '../io/inspect-store.js';
import type { CommandContext } from './context.js';
import { formatTable } from './format-table.js';

/** Says what a store holds, how late it is, and what to do next. */
export async function runStatus(
  options: { readonly store: string; readonly json: boolean; readonly quiet: boolean },
  context: CommandContext,
): Promise<ExitName> {
  const status = await inspectStore(openStore(options.store), context.now());
  if (options.json) context.print(JSON.stringify(status, null, 2));
  else if (!options.quiet) context.print(formatStatus(status));
  return status.damage === null ? 'done' : 'damaged';
}

function formatStatus(status: StoreStatus): string {
  if (status.revision === null) return `store      ${status.address}\nnext       ${status.next}`;
  const { aliases } = status;
  const rows = CHAIN_IDS.flatMap((chain) => {
    const each = status.chains[chain];
    if (each === undefined) return [];
    const lag = each.lag_days === null ? '-' : `${each.lag_days} d`;
    const { available, degraded, missing } = each.days;
    return [
      [
        chain,
        each.updated_through,
        each.last_available ?? 'never',
        lag,
        each.freshness,
        each.overdue ? 'OVERDUE' : 'no',
        available,
        degraded,
        missing,
      ],
    ];
  });
  const head = [
    'chain',
    'through',
    'last available',
    'lag',
    'freshness',
    'overdue',
    'available',
    'degraded',
    'missing',
  ];
  return [
    `store      ${status.address}`,
    `release    ${status.revision} (sequence ${status.sequence ?? 0}), published ${status.published_at ?? ''}, ${status.age_days ?? 0} days ago`,
    `pointer    ${status.sha256 ?? ''}`,
    `hold       ${status.hold ?? 'no'}`,
    `aliases    ${aliases.behind === 0 ? 'fresh' : aliases.behind > 0 ? `${aliases.behind} releases behind` : 'mark ahead of the release'} (sequence ${aliases.sequence})`,
    `objects    ${formatCensus(status)}`,
    '',
    formatTable(head, rows),
    '',
    `next       ${status.next}`,
  ].join('\n');
}

function formatCensus({ objects, orphans, damage }: StoreStatus): string {
  if (objects === null || orphans === null) return `not counted: ${damage ?? ''}`;
  const size = (orphans.bytes / 1e6).toFixed(1);
  return `${objects}, of which ${orphans.objects} orphans (${size} MB); ${orphans.releases} orphan releases`;
}
