import { Option, type Command } from 'commander';
import { isSameAddress } from '../../infra/store/s3/same-address.js';
import { GeneratorError } from '../core/generator-error.js';
import { count } from '../core/text/count.js';
import { copyStore, type CopyResult } from '../upkeep/copy/copy-store.js';
import type { CommandHost, CommonOptions } from './context.js';
import { addGeneratorCommand } from './options.js';

type CopyOptions = CommonOptions & { readonly from: string; readonly to: string };

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
    ],
    example: 'generator copy --from file:./data/store --to s3://bucket/prefix',
  }).action((options: CopyOptions) =>
    host.run('copy', options, async (context) => {
      const from = await context.openStore(options.from);
      const to = await context.openStore(options.to);
      if (isSameAddress(from.address, to.address)) {
        throw new GeneratorError(
          'usage',
          `--from and --to are the same place, ${to.address}. Choose another --to.`,
        );
      }
      const { progress, signal } = context;
      const clock = (): number => performance.now();
      const result = await copyStore({ from, to, clock, progress, signal });
      for (const key of result.mended) {
        context.warn(`${key} of ${to.address} did not match its digest and was replaced`);
      }
      context.show(result, formatCopy(result));
      return 'done';
    }),
  );
}

function formatCopy({ outcome, from, to, revision, sequence, written, skipped }: CopyResult): string {
  const size = `${count(written.objects, 'object')} written, ${(written.bytes / 1e6).toFixed(1)} MB`;
  const old = skipped === 0 ? '' : `; the source has lost ${count(skipped, 'file')} of old releases`;
  return `${outcome}: ${revision} (sequence ${sequence}) from ${from} to ${to}\n${size}${old}`;
}
