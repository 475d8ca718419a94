import { bytesWords, count, countWords, plural } from '../../schemas/words.js';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { DEFAULT_GRACE_MS, MIN_GRACE_MS } from '../state/gc-policy.js';
import {
  type CollectionGcResult,
  gcCollection,
  type GcResult,
  gcStore,
  type GcStoreOptions,
  isCollection,
} from '../upkeep/gc-store.js';
import { addGeneratorCommand, type CommandHost, type CommonOptions, storeOption } from './common/options.js';

export const HOUR_MS = 3_600_000;
const MIN_GRACE_HOURS = MIN_GRACE_MS / HOUR_MS;

type GcOptions = CommonOptions & {
  readonly store: string;
  readonly apply?: boolean;
  readonly graceHours: number;
};

/** Adds `gc`, which deletes the objects that no retained release needs. */
export function addGc(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'gc',
    description:
      'Delete objects that no retained release, or collection, needs. Without --apply, only report them.',
    options: [storeOption(), applyOption(), graceHoursOption()],
    example: 'generator gc --apply --store file:./data/store',
  }).action((options: GcOptions) =>
    host.run('gc', options, async (context) => {
      const store = await context.openStore(options.store);
      const gcOptions: GcStoreOptions = {
        apply: options.apply ?? false,
        graceMs: options.graceHours * HOUR_MS,
        progress: context.progress,
        signal: context.signal,
        clock: context.now,
      };
      const result = (await isCollection(store))
        ? await gcCollection(store, gcOptions)
        : await gcStore(store, gcOptions);
      context.show(result, formatGc(result));
      return result.outcome === 'interrupted' ? 'interrupted' : 'done';
    }),
  );
}

export function applyOption(): Option {
  return new Option('--apply', 'delete the objects; without it nothing is deleted');
}

export function graceHoursOption(): Option {
  return new Option(
    '--grace-hours <hours>',
    `minimum age of an object to delete, at least ${MIN_GRACE_HOURS}`,
  )
    .argParser(parseGraceHours)
    .default(DEFAULT_GRACE_MS / HOUR_MS);
}

function parseGraceHours(text: string): number {
  const hours = Number(text);
  if (!Number.isSafeInteger(hours) || hours < MIN_GRACE_HOURS)
    throw new InvalidArgumentError(`Write a whole number of hours, at least ${MIN_GRACE_HOURS}.`);
  return hours;
}

/** Returns the report of a garbage collection as one line. */
export function formatGc({ outcome, garbage, young }: GcResult | CollectionGcResult): string {
  const { objects, bytes } = garbage;
  const records = 'releases' in garbage ? ` and ${count(garbage.releases, 'orphan release record')}` : '';
  const deleted = `${count(objects, 'object')}${records}, ${bytesWords(bytes)}`;
  const kept = `${countWords(young)} more ${plural(young, 'is', 'are')} within the grace period`;
  if (outcome === 'dry-run')
    return `would delete ${deleted}; ${kept}; nothing was changed, use --apply to delete`;
  return `${outcome === 'interrupted' ? 'interrupted: ' : ''}deleted ${deleted}; ${kept}`;
}
