import type { Command } from 'commander';
import { isSameAddress } from '../../infra/store/same-address.js';
import { GeneratorError } from '../core/generator-error.js';
import { copyStore, type CopyResult } from '../io/copy-store.js';
import type { CommandHost, CommonOptions } from './context.js';
import { addCommand, example } from './options.js';

/** Adds `copy`: mirrors a store, its history included, to another address. */
export function addCopy(program: Command, host: CommandHost): void {
  const description = 'Mirror a store and its history to another address, verifying; run again to go on.';
  addCommand(program, 'copy', description)
    .requiredOption('--from <address>', 'the store to copy')
    .requiredOption('--to <address>', 'a fresh address, or an earlier copy of the same store')
    .addHelpText('after', example('generator copy --from file:./data/store --to s3://bucket/prefix'))
    .action((options: CopyOptions) =>
      host.run('copy', options, async (context) => {
        const from = await context.openStore(options.from);
        const to = await context.openStore(options.to);
        if (isSameAddress(from.address, to.address)) {
          throw new GeneratorError('usage', `--from and --to are the same place, ${to.address}`);
        }
        const { progress, signal } = context;
        const clock = (): number => performance.now();
        const result = await copyStore({ from, to, clock, progress, signal });
        for (const key of result.mended) {
          context.warn(`${key}: had other bytes than its digest says in ${to.address}, and was mended`);
        }
        context.show(result, formatCopy(result));
        return 'done';
      }),
    );
}

type CopyOptions = CommonOptions & { readonly from: string; readonly to: string };

function formatCopy({ outcome, from, to, revision, sequence, written, skipped }: CopyResult): string {
  const size = `${written.objects} objects written, ${(written.bytes / 1e6).toFixed(1)} MB`;
  const old = skipped === 0 ? '' : `; ${skipped} files of old releases are not at the source any more`;
  return `${outcome}: ${revision} (sequence ${sequence}) from ${from} to ${to}\n${size}${old}`;
}
