import { openStore } from '../../infra/store/open-store.js';
import type { ExitName } from '../core/generator-error.js';
import { verifyStore } from '../io/verify-store.js';
import type { CommandContext } from './context.js';

/** Most faults that are shown of one run; `--json` lists all. */
const FAULTS_SHOWN = 100;

/** Re-reads a store and names everything that is wrong with it. */
export async function runVerify(
  options: {
    readonly store: string;
    readonly deep: boolean;
    readonly json: boolean;
    readonly quiet: boolean;
  },
  context: CommandContext,
): Promise<ExitName> {
  const { deep } = options;
  const result = await verifyStore(openStore(options.store), {
    deep,
    progress: context.progress,
    signal: context.signal,
  });
  const { faults } = result;
  for (const { key, message } of faults.slice(0, FAULTS_SHOWN)) context.warn(`${key}: ${message}`);
  if (faults.length > FAULTS_SHOWN)
    context.warn(`... and ${faults.length - FAULTS_SHOWN} more faults (--json lists all)`);
  if (options.json) context.print(JSON.stringify(result, null, 2));
  else if (faults.length > 0) context.warn(`verification failed: ${faults.length} faults`);
  else if (!options.quiet) {
    const what = deep
      ? 'every record and file recomputed from the gold days'
      : 'every digest, schema and link recomputed';
    context.print(
      `verified ${result.revision ?? ''} (sequence ${result.sequence ?? 0}): ${what}; ${result.artifacts} artifacts, ${result.days} day files, ${result.releases} releases`,
    );
  }
  return faults.length === 0 ? 'done' : 'damaged';
}
