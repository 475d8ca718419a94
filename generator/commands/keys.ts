import { openFileSigner } from '../signing/open-signer.js';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { KeySet, ReleaseKey } from '../../schemas/types.generated.js';
import { type ExitName, GeneratorError } from '../core/generator-error.js';
import { createKeySet, isInForce, revokeReleaseKey, rotateKeys } from '../core/trust/key-set.js';
import {
  exists,
  type InstalledKeySet,
  installKeySet,
  type KeySetFile,
  openOrCreateKey,
  openReleaseKey,
  readKeySetFile,
  replaceFile,
  writeNew,
} from '../signing/key-files.js';
import { signDocument, type Signer } from '../signing/signer.js';
import {
  addGeneratorCommand,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
  parseReason,
  storeOption,
} from './common/options.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { readStoredKeySet } from '../signing/signed-history.js';
import { readCurrent } from '../signing/signing.js';
import { unlessDamaged } from '../state/stored-json.js';
import { readSigningStatus, signingStep } from '../upkeep/signing-status.js';
import { formatCommand } from './common/next-command.js';
import { formatTrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import { formatTable } from '../../infra/process/format-table.js';

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

type ShowOptions = CommonOptions & { readonly keys: string; readonly store?: string };
type InstallOptions = CommonOptions & {
  readonly keys: string;
  readonly store: string;
  readonly dryRun?: boolean;
};

/** Adds `keys show`, which shows a key set in a file or a store. */
function addShow(keys: Command, host: CommandHost): void {
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
function addInstall(keys: Command, host: CommandHost): void {
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

function rootKeyOption(): Option {
  return new Option('--root-key <file>', 'private root key, kept offline').makeOptionMandatory();
}

function releaseKeyOption(): Option {
  return new Option(
    '--release-key <key>',
    'release key: a private or public key file (created if it does not exist), or kms:KEY-ID',
  );
}

function keysOption(): Option {
  return new Option('--keys <file>', 'file of the signed key set').default('keys.jws');
}

function dryRunOption(): Option {
  return new Option('--dry-run', 'show what would change, without writing anything');
}

function siteOption(): Option {
  return new Option('--site <name>', 'name of the site, usually its address: https://data.example.com')
    .argParser(parseSite)
    .makeOptionMandatory();
}

function kidOption(): Option {
  return new Option('--kid <id>', 'id of the key, as "keys show" lists it').makeOptionMandatory();
}

function revocationReasonOption(): Option {
  return new Option('--reason <text>', 'public reason, at most 200 characters')
    .argParser(parseReason)
    .makeOptionMandatory();
}

/** Parses a sequence. @throws InvalidArgumentError */
function parseSequence(text: string): number {
  const sequence = Number(text);
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number from 1.');
  return sequence;
}

function parseSite(text: string): string {
  if (!/^[!"$-~]{1,200}$/.test(text))
    throw new InvalidArgumentError('Write 1 to 200 visible ASCII characters without "#".');
  return text;
}

/** Returns what readers trust to verify a site: its name and the thumbprint of its root key. */
async function anchorOf({ site, root }: KeySet): Promise<string> {
  return formatTrustAnchor({ site, root: await thumbprintOf(root) });
}

/** Returns a key set in words. */
async function describeKeySet(keySet: KeySet, nowMs: number): Promise<string> {
  const { version, expires, signed_from_sequence: from, keys } = keySet;
  const rows = keys.map((key) => [
    key.kid,
    key.jwk.crv,
    key.valid_from,
    key.valid_until,
    stateOf(key, nowMs),
  ]);
  return [
    `trust anchor: ${await anchorOf(keySet)}`,
    `version ${version}, expires ${expires}; releases are signed from sequence ${from}`,
    formatTable(['release key', 'kind', 'valid from', 'valid until', 'state'], rows),
  ].join('\n');
}

function stateOf(key: ReleaseKey, nowMs: number): string {
  if (key.revoked !== null) return `revoked: ${key.revoked.reason}`;
  return isInForce(key, nowMs) ? 'in force' : 'expired';
}
