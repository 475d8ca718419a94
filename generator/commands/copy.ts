import { bytesWords, count } from '../../schemas/words.js';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { comparePlaces } from '../../infra/store/compare-places.js';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { GeneratorError } from '../core/generator-error.js';
import { copyStore, type CopyResult, type CopyStoreOptions } from '../upkeep/copy/copy-store.js';
import {
  addGeneratorCommand,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
  parseRevision,
  singleWriterOption,
  trustOption,
} from './common/options.js';
import { applyOption, formatGc, graceHoursOption, HOUR_MS } from './gc.js';

type CopyOptions = CommonOptions & {
  readonly from: string;
  readonly to: string;
  readonly prune?: boolean;
  readonly apply?: boolean;
  readonly graceHours: number;
  readonly delay?: number;
  readonly toRevision?: string;
  readonly trust?: TrustAnchor;
  readonly singleWriter?: boolean;
};

/** Adds `copy`, which copies a store with its whole history to another address. */
export function addCopy(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'copy',
    description: 'Copy a store and its history to another address and verify it. Run it again to continue.',
    options: [
      new Option('--from <address>', 'address of the store to copy').makeOptionMandatory(),
      new Option(
        '--to <address>',
        'address of the copy: empty, or an earlier copy of the same store',
      ).makeOptionMandatory(),
      new Option(
        '--delay <hours>',
        'copy the newest release that was published at least this long ago; keeps a backup behind',
      ).argParser(parseHours),
      new Option('--to-revision <revision>', 'copy this release and its history, without later releases')
        .argParser(parseRevision)
        .conflicts('delay'),
      new Option('--prune', 'omit what gc deletes, and report what gc would delete in the copy'),
      applyOption(),
      graceHoursOption(),
      trustOption(),
      singleWriterOption(),
    ],
    example: 'generator copy --from file:./data/store --to s3://bucket/prefix',
  }).action((options: CopyOptions) =>
    host.run('copy', options, async (context) => {
      const from = await context.openStore(options.from);
      const to = await context.openStore(options.to);
      await assertApart(from.address, to.address);
      const { progress, signal } = context;
      const clock = (): number => performance.now();
      const trust = options.trust && { anchor: options.trust, now: context.now };
      const choice = { ...toSelection(options, context), ...toPrune(options, context), trust };
      const safety = { now: context.now, singleWriter: options.singleWriter ?? false };
      const result = await copyStore({ from, to, clock, progress, signal, safety, ...choice });
      for (const key of result.mended) {
        context.warn(`${key} of ${to.address} did not match its digest and was replaced`);
      }
      context.show(result, formatCopy(result));
      return result.pruned?.outcome === 'interrupted' ? 'interrupted' : 'done';
    }),
  );
}

/** Passes if no store is inside the other, where the other's checks would find its files. @throws GeneratorError 'usage' otherwise. */
async function assertApart(from: string, to: string): Promise<void> {
  const place = await comparePlaces(from, to);
  if (place === 'apart') return;
  const problem =
    place === 'same' ? `are the same place, ${to}` : `are one inside the other, ${from} and ${to}`;
  throw new GeneratorError('usage', `--from and --to ${problem}. Choose another --to.`);
}

/** Returns the option of the copy for --prune. @throws GeneratorError 'usage' for --apply without --prune. */
function toPrune(
  { prune = false, apply = false, graceHours }: CopyOptions,
  { now }: CommandContext,
): Pick<CopyStoreOptions, 'prune'> {
  if (prune) return { prune: { apply, graceMs: graceHours * HOUR_MS, clock: now } };
  if (apply) {
    throw new GeneratorError('usage', '--apply needs --prune. Add --prune.', {
      next: (args) => [...args, '--prune'],
    });
  }
  return {};
}

function toSelection(
  { delay, toRevision }: CopyOptions,
  { now }: CommandContext,
): Pick<CopyStoreOptions, 'selection'> {
  if (toRevision !== undefined) return { selection: { revision: toRevision } };
  return delay === undefined ? {} : { selection: { delayHours: delay, now } };
}

function parseHours(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Write a whole number of hours, 0 or more.');
  return Number(text);
}

function formatCopy(result: CopyResult): string {
  const { outcome, from, to, revision, sequence, written, skipped, behind = 0, pruned } = result;
  const size = `${count(written.objects, 'object')} written, ${bytesWords(written.bytes)}`;
  const old = skipped === 0 ? '' : `; the source has lost ${count(skipped, 'file')} of old releases`;
  const later = behind === 0 ? '' : `; ${count(behind, 'later release')} left out`;
  const garbage = pruned === undefined ? '' : `\n${formatGc(pruned)}`;
  return `${outcome}: ${revision} (sequence ${sequence}) from ${from} to ${to}\n${size}${old}${later}${garbage}`;
}
