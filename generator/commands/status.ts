import { InvalidArgumentError, type Command } from 'commander';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { findLagging, inspectStore, type StoreStatus } from '../io/inspect-store.js';
import type { CommandHost, CommonOptions } from './context.js';
import { formatTable } from './format-table.js';
import { addStoreCommand, example } from './options.js';

/** Adds `status`: says what a store holds, how late it is, and what to do next. */
export function addStatus(program: Command, host: CommandHost): void {
  addStoreCommand(program, 'status', 'Say what a store holds, how late it is, and what to do next.')
    .option(
      '--max-lag-days <days>',
      'for a monitor: exit 8 when a chain lags by more, or the public copies lag; objects are not counted',
      parseDays,
    )
    .addHelpText('after', example('generator status --store file:./data/store'))
    .action((options: StatusOptions) =>
      host.run('status', options, async (context) => {
        const { maxLagDays } = options;
        const terms = { nowMs: context.now(), census: maxLagDays === undefined };
        const status = await inspectStore(await context.openStore(options.store), terms);
        const lagging = maxLagDays === undefined ? null : findLagging(status, maxLagDays);
        const isLagging = lagging !== null && lagging.length > 0;
        if (isLagging) context.warn(`${status.address}: ${lagging.join('; ')}`);
        context.show({ ...status, lagging }, formatStatus(status));
        return status.damage === null && !isLagging ? 'done' : 'damaged';
      }),
    );
}

type StatusOptions = CommonOptions & { readonly store: string; readonly maxLagDays?: number };

function parseDays(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('give a whole number of days, 0 or more.');
  return Number(text);
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
  if (objects === null || orphans === null) return damage === null ? 'not counted' : `not counted: ${damage}`;
  const size = (orphans.bytes / 1e6).toFixed(1);
  return `${objects}, of which ${orphans.objects} orphans (${size} MB); ${orphans.releases} orphan releases`;
}
