import { count } from '../../schemas/words.js';
import { Option, type Command } from 'commander';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import type { ExitName } from '../core/generator-error.js';
import { TRUST_KEYS } from '../verify/check-signatures.js';
import { verifyStore, type Verification } from '../verify/verify-store.js';
import {
  addGeneratorCommand,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
  storeOption,
  trustOption,
} from './common/options.js';
import { formatCommand, warnOfStoreFaults } from './common/next-command.js';

type VerifyOptions = CommonOptions & {
  readonly store: string;
  readonly deep?: boolean;
  readonly trust?: TrustAnchor;
};

/** Adds `verify`, which re-reads a store and reports everything that is wrong with it. */
export function addVerify(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'verify',
    description:
      'Re-read a store and check every file digest, schema, determinism hash, signature and link between releases.',
    options: [
      storeOption(),
      new Option('--deep', 'also recompute every record and file from the published gold days'),
      trustOption(),
    ],
    example: 'generator verify --deep --store file:./data/store',
  }).action((options: VerifyOptions) =>
    host.run('verify', options, async (context) => {
      const store = await context.openStore(options.store);
      const result = await verifyStore(store, {
        ...context,
        deep: options.deep ?? false,
        trust: options.trust,
      });
      const repair = formatCommand(context.commandLine, ['repair', '--store', store.address]);
      return report(result, repair, context, options.trust !== undefined);
    }),
  );
}

function describeLagging(number: number): string {
  return `the public copies lag (${count(number, 'key')}; --json lists them): a run ended after its commit. The next publish refreshes them. To refresh them now:`;
}

/** Returns what the signatures prove, in a sentence. */
function describeSignatures({ signatures }: Verification): string {
  if (signatures === null) return 'signatures: none. Nothing proves who published this.';
  const { site, trusted, key_set_version: version, statements, current_until: until } = signatures;
  const root = trusted
    ? 'up to the root key that you trust'
    : 'but the root key was not checked; pass --trust to check it';
  const timestamp = until === null ? 'No timestamp was checked.' : `The timestamp is valid until ${until}.`;
  return `signatures: valid for ${site}, ${root}. Key set version ${version}, ${count(statements, 'signed release')}. ${timestamp}`;
}

/** Returns what readers who verify signatures cannot prove yet; `undefined` if they can prove everything. */
function describeUnproven({ signatures, lagging }: Verification): string | undefined {
  if (signatures?.current_until === null) return 'no timestamp says that this release is the current one';
  // An earlier release's public copies are signed too, but not the current release.
  const file = lagging.find(({ key }) => TRUST_KEYS.has(key)) ?? lagging[0];
  return file && `${file.key} ${file.message}`;
}

function report(
  result: Verification,
  repair: string,
  { warn, show }: CommandContext,
  isTrustNeeded: boolean,
): ExitName {
  const { faults, lagging, deep } = result;
  warnOfStoreFaults(faults, warn);
  if (lagging.length > 0) warn(`${describeLagging(lagging.length)}\n  ${repair}`);
  const checked = deep
    ? 'every record and file recomputed from the gold days'
    : 'every file digest, schema, determinism hash and link between releases checked';
  if (faults.length > 0) {
    warn(`verification failed: ${count(faults.length, 'fault')}`);
    warn(`To restore what can be restored:\n  ${repair}`);
    show(result, '');
    return 'damaged';
  }
  const unproven = isTrustNeeded ? describeUnproven(result) : undefined;
  if (unproven !== undefined) {
    warn(
      `Not proven: ${unproven}. A release is being published, or a run ended early. Run again after the next publish.`,
    );
    show(result, '');
    return 'store-unavailable';
  }
  const counts = [
    count(result.artifacts, 'artifact'),
    count(result.days, 'day file'),
    count(result.releases, 'release'),
  ];
  show(
    result,
    [
      `verified ${result.revision ?? ''} (sequence ${result.sequence ?? 0}): ${checked}; ${counts.join(', ')}`,
      describeSignatures(result),
    ].join('\n'),
  );
  return 'done';
}
