import { InvalidArgumentError, type Command } from 'commander';
import { collectGarbage, type Collection } from '../io/collect-garbage.js';
import type { CommandHost, CommonOptions } from './context.js';
import { addStoreCommand, example } from './options.js';

const HOUR_MS = 3_600_000;
const LEAST_HOURS = 48;

type GcOptions = CommonOptions & {
  readonly store: string;
  readonly apply?: boolean;
  readonly graceHours: number;
};

/** Adds `gc`: deletes what no release that is kept reaches. */
export function addGc(program: Command, host: CommandHost): void {
  const description = 'Delete what no retained release reaches; without --apply, only say what that is.';
  addStoreCommand(program, 'gc', description)
    .option('--apply', 'delete; without it nothing is changed')
    .option('--grace-hours <hours>', 'least age of what is deleted, at least 48', parseGraceHours, 168)
    .addHelpText('after', example('generator gc --apply --store file:./data/store'))
    .action((options: GcOptions) =>
      host.run('gc', options, async (context) => {
        const collection = await collectGarbage(await context.openStore(options.store), {
          apply: options.apply ?? false,
          graceMs: options.graceHours * HOUR_MS,
          progress: context.progress,
          signal: context.signal,
          clock: context.now,
        });
        context.show(collection, formatCollection(collection));
        return collection.outcome === 'interrupted' ? 'interrupted' : 'done';
      }),
    );
}

function parseGraceHours(text: string): number {
  const hours = Number(text);
  if (!Number.isSafeInteger(hours) || hours < LEAST_HOURS)
    throw new InvalidArgumentError(`give a whole number of hours, at least ${LEAST_HOURS}.`);
  return hours;
}

function formatCollection({ outcome, collected, young }: Collection): string {
  const what = `${collected.objects} objects and ${collected.releases} orphan records, ${(collected.bytes / 1e6).toFixed(1)} MB`;
  const rest = `${young} more are younger than the grace`;
  if (outcome === 'dry-run') return `would collect ${what}; ${rest}; nothing was changed (--apply deletes)`;
  return `${outcome === 'interrupted' ? 'interrupted: ' : ''}collected ${what}; ${rest}`;
}
