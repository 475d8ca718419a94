import type { Command } from 'commander';
import type { KeySet } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GeneratorError, type ExitName } from '../../core/generator-error.js';
import {
  type InstalledKeySet,
  installKeySet,
  type KeySetFile,
  readKeySetFile,
} from '../../signing/key-files.js';
import { readStoredKeySet } from '../../signing/signed-history.js';
import { readCurrent } from '../../signing/signing.js';
import { unlessDamaged } from '../../state/unless-damaged.js';
import { readSigningStatus } from '../../upkeep/signing-status.js';
import { signingStep } from '../../upkeep/signing-step.js';
import type { CommandContext, CommandHost, CommonOptions } from '../common/context.js';
import { formatCommand } from '../common/next-command.js';
import { addGeneratorCommand, storeOption } from '../common/options.js';
import { dryRunOption, keysOption } from './key-set-options.js';
import { anchorOf, describeKeySet } from './key-set-text.js';

type ShowOptions = CommonOptions & { readonly keys: string; readonly store?: string };
type InstallOptions = CommonOptions & {
  readonly keys: string;
  readonly store: string;
  readonly dryRun?: boolean;
};

/** Adds `keys show`, which shows a key set in a file or a store. */
export function addShow(keys: Command, host: CommandHost): void {
  const store = storeOption().makeOptionMandatory(false);
  addGeneratorCommand(keys, {
    name: 'show',
    description: 'Show the keys in a file or, with --store, in a store.',
    options: [keysOption(), store],
    example: 'generator keys show --store file:./data/store',
  }).action((options: ShowOptions) =>
    host.run('keys show', options, async (context) => show(await readKeySetOf(options, context), context)),
  );
}

/** Adds `keys install`, which installs a key set in a store. */
export function addInstall(keys: Command, host: CommandHost): void {
  addGeneratorCommand(keys, {
    name: 'install',
    description:
      'Install a key set in a store. Every later publish, rollback, hold and unhold must then sign.',
    options: [storeOption(), keysOption(), dryRunOption()],
    note: 'These commands then need CRD_SIGNING_KEY_FILE or CRD_SIGNING_KEY.',
    example: 'generator keys install --keys keys.jws --store file:./data/store',
  }).action((options: InstallOptions) =>
    host.run('keys install', options, async (context) => {
      const store = await context.openStore(options.store);
      const { keys: file, dryRun = false } = options;
      const installed = await installKeySet(store, await readKeySetFile(file), { dryRun, now: context.now });
      const { value } = installed;
      const outcome = dryRun ? 'dry-run' : installed.isNew ? 'installed' : 'unchanged';
      context.show(
        { outcome, store: store.address, trust: await anchorOf(value), key_set: value },
        [
          `${describeOutcome(installed, dryRun)} key set version ${value.version} in ${store.address}`,
          await describeKeySet(value, context.now()),
          ...(installed.isNew && !dryRun ? [await nextStep(store, context)] : []),
        ].join('\n'),
      );
      return 'done';
    }),
  );
}

/** Returns what to do after an installation. A release by a key that was revoked or has expired must be checked first. */
async function nextStep(store: ObjectStore, context: CommandContext): Promise<string> {
  const format = (words: readonly string[]): string => formatCommand(context.commandLine, words);
  const release = await unlessDamaged(() => readCurrent(store));
  const status = release && (await readSigningStatus(store, release, context.now()));
  return status?.remedy === 'sign'
    ? signingStep('sign', store.address, format)
    : `The next publish signs the current release: ${format(['publish', '--input', 'DIR', '--store', store.address])}`;
}

/** Returns the beginning of the sentence about an installation. */
function describeOutcome({ isNew }: InstalledKeySet, dryRun: boolean): string {
  if (!isNew) return dryRun ? 'dry run: would not change' : 'unchanged:';
  return dryRun ? 'dry run: would install' : 'installed';
}

async function show(keySet: KeySet, context: CommandContext): Promise<ExitName> {
  context.show(
    { trust: await anchorOf(keySet), key_set: keySet },
    await describeKeySet(keySet, context.now()),
  );
  return 'done';
}

async function readKeySetOf({ keys, store: address }: ShowOptions, context: CommandContext): Promise<KeySet> {
  if (address === undefined) return (await readKeySetFile(keys)).value;
  const store = await context.openStore(address);
  const found: Pick<KeySetFile, 'value'> | undefined = await readStoredKeySet(store);
  if (found !== undefined) return found.value;
  throw new GeneratorError(
    'usage',
    `${store.address} has no key set: its releases are not signed. Create one with "generator keys init".`,
    { next: ['keys', 'init', '--help'] },
  );
}
