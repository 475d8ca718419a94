import type { Command } from 'commander';
import type { ExitName } from '../core/generator-error.js';
import { verifyStore, type Verification } from '../io/verify-store.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { addStoreCommand, example } from './options.js';

/** Most faults that are shown of one run; `--json` lists all. */
const FAULTS_SHOWN = 100;

/** Adds `verify`: re-reads a store and names everything that is wrong with it. */
export function addVerify(program: Command, host: CommandHost): void {
  const description = 'Re-read a store and recompute every digest, schema, hash and link.';
  addStoreCommand(program, 'verify', description)
    .option('--deep', 'also recompute every record and file from the published gold days alone')
    .addHelpText('after', example('generator verify --deep --store file:./data/store'))
    .action((options: VerifyOptions) =>
      host.run('verify', options, async (context) => {
        const store = await context.openStore(options.store);
        return reportVerification(
          await verifyStore(store, { ...context, deep: options.deep ?? false }),
          context,
        );
      }),
    );
}

type VerifyOptions = CommonOptions & { readonly store: string; readonly deep?: boolean };

/** Shows what was verified, each fault as a line of diagnosis; resolves how such a run ends. */
export function reportVerification(result: Verification, { warn, show }: CommandContext): ExitName {
  const { faults, deep } = result;
  for (const { key, message } of faults.slice(0, FAULTS_SHOWN)) warn(`${key}: ${message}`);
  if (faults.length > FAULTS_SHOWN)
    warn(`... and ${faults.length - FAULTS_SHOWN} more faults (--json lists all)`);
  const what = deep
    ? 'every record and file recomputed from the gold days'
    : 'every digest, schema and link recomputed';
  const counts = `${result.artifacts} artifacts, ${result.days} day files, ${result.releases} releases`;
  const verified = `verified ${result.revision ?? ''} (sequence ${result.sequence ?? 0}): ${what}; ${counts}`;
  if (faults.length > 0) warn(`verification failed: ${faults.length} faults`);
  show(result, faults.length === 0 ? verified : '');
  return faults.length === 0 ? 'done' : 'damaged';
}
