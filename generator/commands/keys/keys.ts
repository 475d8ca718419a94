import { Option, type Command } from 'commander';
import type { KeySet } from '../../../schemas/types.generated.js';
import type { ExitName } from '../../core/generator-error.js';
import { createKeySet, revokeReleaseKey, rotateKeys } from '../../core/trust/key-set.js';
import { GeneratorError } from '../../core/generator-error.js';
import {
  exists,
  openOrCreateKey,
  openReleaseKey,
  readKeySetFile,
  replaceFile,
  writeNew,
} from '../../signing/key-files.js';
import { openFileSigner, signDocument, type Signer } from '../../signing/signer.js';
import type { CommandContext, CommandHost, CommonOptions } from '../common/context.js';
import { addGeneratorCommand } from '../common/options.js';
import { addInstall, addShow } from './install.js';
import {
  dryRunOption,
  keysOption,
  kidOption,
  parseSequence,
  releaseKeyOption,
  revocationReasonOption,
  rootKeyOption,
  siteOption,
} from './key-set-options.js';
import { anchorOf, describeKeySet } from './key-set-text.js';

type ChangeOptions = CommonOptions & {
  readonly rootKey: string;
  readonly keys: string;
  readonly dryRun?: boolean;
};

/** Adds `keys`: the commands for the keys that sign releases. */
export function addKeys(program: Command, host: CommandHost): void {
  const keys = program
    .command('keys')
    .description('Create, rotate, revoke, show and install the keys that sign releases.');
  addInit(keys, host);
  addRotate(keys, host);
  addRevoke(keys, host);
  addShow(keys, host);
  addInstall(keys, host);
}

function addInit(keys: Command, host: CommandHost): void {
  addGeneratorCommand(keys, {
    name: 'init',
    description: 'Create the first key set of a site. Key files that do not exist are created.',
    options: [
      siteOption(),
      rootKeyOption(),
      releaseKeyOption().makeOptionMandatory(),
      keysOption(),
      new Option('--from-sequence <number>', 'sequence of the first release that must be signed')
        .argParser(parseSequence)
        .default(1),
      dryRunOption(),
    ],
    note: 'Run it on a machine without network, and keep the root key there. If the store already has releases, set --from-sequence to one more than the sequence that "generator status" shows.',
    example:
      'generator keys init --site https://data.example.com --root-key root.pem --release-key release.pem --keys keys.jws',
  }).action(
    (
      options: ChangeOptions & {
        readonly site: string;
        readonly releaseKey: string;
        readonly fromSequence: number;
      },
    ) =>
      host.run('keys init', options, async (context) => {
        const { site, keys: file, dryRun = false, fromSequence: signedFromSequence } = options;
        if (await exists(file))
          throw new GeneratorError('usage', `${file} exists. To change it, use "generator keys rotate".`, {
            next: ['keys', 'rotate', '--help'],
          });
        const root = await openOrCreateKey(options.rootKey, { dryRun });
        const release = await openReleaseKey(options.releaseKey, { dryRun });
        const keySet = createKeySet({ site, root: root.jwk, release, signedFromSequence }, context.now());
        return write(keySet, root, { ...options, isNew: true }, context);
      }),
  );
}

function addRotate(keys: Command, host: CommandHost): void {
  addGeneratorCommand(keys, {
    name: 'rotate',
    description:
      'Add a release key and let the current keys expire in a week. Without --release-key, renew the current keys for 400 days.',
    options: [rootKeyOption(), releaseKeyOption(), keysOption(), dryRunOption()],
    example: 'generator keys rotate --root-key root.pem --release-key release-2.pem --keys keys.jws',
  }).action((options: ChangeOptions & { readonly releaseKey?: string }) =>
    host.run('keys rotate', options, async (context) => {
      const { dryRun = false, releaseKey } = options;
      const { root, before } = await openRoot(options);
      const added = releaseKey === undefined ? undefined : await openReleaseKey(releaseKey, { dryRun });
      return write(rotateKeys(before, added, context.now()), root, options, context);
    }),
  );
}

function addRevoke(keys: Command, host: CommandHost): void {
  addGeneratorCommand(keys, {
    name: 'revoke',
    description:
      'Revoke a release key in the key set file. After "keys install", readers refuse a current release or timestamp signed by it.',
    options: [kidOption(), revocationReasonOption(), rootKeyOption(), keysOption(), dryRunOption()],
    note: 'Add a new key with "generator keys rotate" first. After "keys install", check the current release, and sign it again with "generator repair --sign".',
    example:
      'generator keys revoke --kid KID --reason "the server was broken into" --root-key root.pem --keys keys.jws',
  }).action((options: ChangeOptions & { readonly kid: string; readonly reason: string }) =>
    host.run('keys revoke', options, async (context) => {
      const { root, before } = await openRoot(options);
      const keySet = revokeReleaseKey(before, options.kid, options.reason, context.now());
      return write(keySet, root, options, context);
    }),
  );
}

/** Opens the root key and the key set that it has signed. @throws GeneratorError 'usage' if the key did not sign it */
async function openRoot({ rootKey, keys }: ChangeOptions): Promise<{ root: Signer; before: KeySet }> {
  const [root, { value: before }] = await Promise.all([openFileSigner(rootKey), readKeySetFile(keys)]);
  const { root: jwk } = before;
  if (jwk.x !== root.jwk.x || jwk.crv !== root.jwk.crv)
    throw new GeneratorError(
      'usage',
      `${rootKey} is not the root key that signed ${keys}. Pass the matching key with --root-key.`,
    );
  return { root, before };
}

/** Signs a key set, writes it, and shows it. */
async function write(
  keySet: KeySet,
  root: Signer,
  { keys: file, dryRun = false, isNew = false }: ChangeOptions & { readonly isNew?: boolean },
  context: CommandContext,
): Promise<ExitName> {
  const text = `${await signDocument(root, 'key-set', keySet)}\n`;
  if (!dryRun) await (isNew ? writeNew(file, text) : replaceFile(file, text));
  const outcome = dryRun ? 'dry-run' : 'written';
  const anchor = await anchorOf(keySet);
  context.show(
    { outcome, file, trust: anchor, key_set: keySet },
    [
      `${dryRun ? 'dry run: would write' : 'wrote'} key set version ${keySet.version} to ${file}`,
      await describeKeySet(keySet, context.now()),
      ...(dryRun ? [] : [`Install it: generator keys install --keys ${file} --store ADDRESS`]),
    ].join('\n'),
  );
  return 'done';
}
