import { Option, type Command } from 'commander';
import { addCommand } from '../../infra/process/command-line.js';
import { formatTable } from '../../infra/process/format-table.js';
import { toInstant } from '../../schemas/dates.js';
import type { KeyFate } from '../core/accounts/merge-account.js';
import { OperatorError, type ExitName } from '../core/exit-codes.js';
import { createDryRunStore } from '../io/backup/dry-run-store.js';
import { exportAccounts } from '../io/backup/export-accounts.js';
import { importAccounts, type ImportedAccount } from '../io/backup/import-accounts.js';
import { openSnapshot, sealSnapshot } from '../io/backup/sealed-snapshot.js';
import { assertWritable, readSnapshotFile, writePrivateFile } from '../io/backup/snapshot-file.js';
import { readSnapshotKey, type SnapshotKey } from '../io/backup/snapshot-key.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { accountsStoreOptions } from './options.js';

type ExportOptions = CommonOptions & {
  readonly to: string;
  readonly keyFile: string;
  readonly force?: boolean;
};

type ImportOptions = CommonOptions & {
  readonly from: string;
  readonly keyFile: string;
  readonly revokeKeys?: boolean;
  readonly dryRun?: boolean;
};

/** Adds `accounts export`, which writes an encrypted snapshot of all accounts. */
export function addExport(accounts: Command, host: CommandHost): void {
  addCommand(accounts, {
    name: 'export',
    description: 'Write all accounts and their keys to an encrypted file.',
    options: [
      new Option('--to <file>', 'file to write').makeOptionMandatory(),
      keyFileOption(),
      new Option('--force', 'replace the file if it is an earlier snapshot or empty'),
    ],
    commonOptions: accountsStoreOptions(),
    note: 'Gateways can keep running. Create a key with:\n(umask 077; openssl rand -base64 32 > backup.key)',
    example: 'gateway accounts export --key-file backup.key --to accounts.jwe',
  }).action((options: ExportOptions) => host.run(options, (context) => runExport(options, context)));
}

/** Adds `accounts import`, which restores accounts from an encrypted snapshot. */
export function addImport(accounts: Command, host: CommandHost): void {
  addCommand(accounts, {
    name: 'import',
    description: 'Restore accounts and their keys from a file that "accounts export" wrote.',
    options: [
      new Option('--from <file>', 'file to read').makeOptionMandatory(),
      keyFileOption(),
      new Option('--revoke-keys', 'import the keys of accounts that do not exist as revoked'),
      new Option('--dry-run', 'only show what would be done'),
    ],
    commonOptions: accountsStoreOptions(),
    note: 'What the store has takes precedence, and a revoked key stays revoked. Run it again after an interruption.',
    example: 'gateway accounts import --key-file backup.key --from accounts.jwe --dry-run',
  }).action((options: ImportOptions) => host.run(options, (context) => runImport(options, context)));
}

function keyFileOption(): Option {
  return new Option(
    '--key-file <file>',
    'key of the file: 32 bytes in base64, or a JSON Web Key (oct)',
  ).makeOptionMandatory();
}

async function runExport(
  { to, keyFile, force = false }: ExportOptions,
  context: CommandContext,
): Promise<ExitName> {
  const key = await readKey(keyFile, context);
  await assertWritable(to, force, keyFile);
  const createdAt = toInstant(context.now());
  const { store } = await context.openAccounts();
  const { accounts, brokenKeys } = await exportAccounts(store);
  if (accounts.length === 0) {
    throw new OperatorError(
      'refused',
      `${store.address} has no accounts, so no file was written. Check --accounts-store and CRD_ACCOUNTS_STORE.`,
    );
  }
  const { header, text } = await sealSnapshot(accounts, createdAt, key);
  await writePrivateFile(to, text, force);
  const { accounts: accountCount, keys, sha256 } = header;
  context.show(
    { outcome: 'exported', file: to, ...header, key_id: key.id, broken_keys: brokenKeys },
    `exported to ${to}: ${count(accountCount, 'account')}, ${count(keys, 'working key')}, SHA-256 of the content ${sha256}`,
  );
  for (const id of brokenKeys) context.warn(`key ${id} has no valid record and does not work. Revoke it.`);
  return 'done';
}

async function runImport(
  { from, keyFile, revokeKeys = false, dryRun = false }: ImportOptions,
  context: CommandContext,
): Promise<ExitName> {
  const key = await readKey(keyFile, context);
  const { header, accounts } = await openSnapshot(await readSnapshotFile(from), from, key);
  const { store } = await context.openAccounts();
  const { now, random } = context;
  const imported = await importAccounts(
    { store: dryRun ? createDryRunStore(store) : store, now, random, revokesKeys: revokeKeys },
    accounts,
  );
  const [accountCounts, keyCounts] = [countAccounts(imported), countKeys(imported)];
  const active = revokeKeys ? listIds(imported, 'activeIds') : [];
  const broken = listIds(imported, 'brokenIds');
  context.show(
    {
      outcome: dryRun ? 'would-import' : 'imported',
      snapshot: header,
      accounts: accountCounts,
      keys: keyCounts,
      revoked: listKeys(imported, 'revoked'),
      skipped: listKeys(imported, 'skipped'),
      broken,
      ...(revokeKeys ? { active } : {}),
    },
    [
      `${dryRun ? 'would import' : 'imported'} the snapshot of ${header.created_at}`,
      formatCounts(accountCounts, keyCounts),
      ...formatKeys(imported, active),
    ].join('\n\n'),
  );
  for (const { account, id } of broken)
    context.warn(`key ${id} of the account ${account} has no record and does not work. Revoke it.`);
  if (active.length > 0)
    context.warn(
      `--revoke-keys does not revoke keys of accounts that exist. Keys of the snapshot that stay active in these accounts: ${active.length}. Revoke each with: gateway keys revoke --account A --id ID`,
    );
  return 'done';
}

/** Reads the key and hides it in all output. */
async function readKey(file: string, { hide }: CommandContext): Promise<SnapshotKey> {
  const key = await readSnapshotKey(file);
  hide([key.text]);
  return key;
}

function countAccounts(imported: readonly ImportedAccount[]): Record<ImportedAccount['outcome'], number> {
  const counts = { created: 0, merged: 0, kept: 0 };
  for (const { outcome } of imported) counts[outcome] += 1;
  return counts;
}

function countKeys(imported: readonly ImportedAccount[]): Record<KeyFate, number> {
  const counts = { created: 0, kept: 0, revoked: 0, skipped: 0 };
  for (const { keys } of imported) for (const fate of keys.values()) counts[fate] += 1;
  return counts;
}

type ListedKey = { readonly account: string; readonly id: string };

function listKeys(imported: readonly ImportedAccount[], fate: KeyFate): ListedKey[] {
  return imported.flatMap(({ account, keys }) =>
    [...keys].flatMap(([id, each]) => (each === fate ? [{ account, id }] : [])),
  );
}

function listIds(imported: readonly ImportedAccount[], name: 'activeIds' | 'brokenIds'): ListedKey[] {
  return imported.flatMap(({ account, [name]: ids }) => ids.map((id) => ({ account, id })));
}

function formatCounts(
  accounts: ReturnType<typeof countAccounts>,
  keys: ReturnType<typeof countKeys>,
): string {
  return formatTable(
    ['', 'created', 'merged', 'kept', 'revoked', 'skipped'],
    [
      ['accounts', accounts.created, accounts.merged, accounts.kept, '-', '-'],
      ['keys', keys.created, '-', keys.kept, keys.revoked, keys.skipped],
    ],
  );
}

/** Formats the keys that do not work although the snapshot or the account had them as active, and those that stay active. */
function formatKeys(imported: readonly ImportedAccount[], active: readonly ListedKey[]): string[] {
  const lists = {
    revoked: listKeys(imported, 'revoked'),
    skipped: listKeys(imported, 'skipped'),
    active,
  };
  const rows = Object.entries(lists).flatMap(([fate, keys]) =>
    keys.map(({ account, id }) => [fate, id, account]),
  );
  return rows.length === 0 ? [] : [formatTable(['key', 'id', 'account'], rows)];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
