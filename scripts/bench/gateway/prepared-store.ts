import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { bundlePath, dayPath, POINTER_KEY } from '../../../schemas/paths.js';
import { assertValid } from '../../../schemas/validate.js';
import type { BenchOptions } from '../bench.js';
import { runChild } from '../child-process.js';
import { cutHistory, writeHistory, type MetricsHistory } from '../metrics-history.js';

/** A store with several releases, and an account that can read all of them. */
export type PreparedStore = {
  /** Folder of the store of releases. */
  readonly folder: string;
  /** The pointer to each release, as one line of text, oldest first. */
  readonly pointers: readonly { readonly text: string; readonly sequence: number }[];
  /** Paths of more day files than the gateway answers per second, so that it signs a new URL for each request. */
  readonly days: readonly string[];
  /** Folder of the accounts store. */
  readonly accounts: string;
  /** An API key for all files. */
  readonly key: string;
};

/** The requested bundle. */
export const BUNDLE = bundlePath('gold', 'ethereum', '7d');

/** Number of days per chain whose files are requested. */
const DAYS = 3_500;
/** Number of newest days that are not requested, because the first release lacks some of them. */
const NEWEST = 100;

/** Credentials to sign with. No server checks them. */
export const AWS = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'us-east-1',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
} as const;

/**
 * Publishes a history without its last `newDays` days, and then one more release for each of these days. Creates an
 * account and a key. Uses the built programs and keeps everything in the folder `work`.
 */
export async function prepareStore(
  history: MetricsHistory,
  { work, newDays }: { readonly work: string; readonly newDays: number },
  options: BenchOptions,
): Promise<PreparedStore> {
  const folder = path.join(work, 'store');
  const accounts = path.join(work, 'accounts');
  const peakFile = path.join(work, 'peak');
  const pointers: PreparedStore['pointers'][number][] = [];
  for (let missing = newDays; missing >= 0; missing -= 1) {
    const cut = cutHistory(history, CHAIN_IDS, (rows) => rows.slice(0, rows.length - missing));
    const input = await writeHistory(path.join(work, `input-${missing}`), cut);
    const args = [
      'publish',
      '--input',
      input.folder,
      '--store',
      `file:${folder}`,
      '--as-of',
      input.asOf,
      '--quiet',
    ];
    await runChild({ script: 'generator/main.js', args, peakFile }, options);
    const text = await readFile(path.join(folder, POINTER_KEY), 'utf8');
    const pointer = assertValid('pointer', JSON.parse(text));
    pointers.push({ text: JSON.stringify(pointer), sequence: pointer.sequence });
  }
  const environment = {
    ...options.environment,
    CRD_ACCOUNTS_STORE: `file:${accounts}`,
    CRD_KEY_MODE: 'test',
  };
  const operate = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await runChild(
      { script: 'gateway/main.js', args, peakFile },
      { ...options, environment },
    );
    return stdout.trim();
  };
  const grant = ['--plan', 'research', '--until', '2999-12-31', '--reason', 'bench'];
  await operate('grant', '--account', 'bench', ...grant);
  const key = await operate('keys', 'create', '--account', 'bench');
  return { folder, pointers, days: listDays(history), accounts, key };
}

/** Lists the day files of the longest histories, without the newest days. */
function listDays({ chains }: MetricsHistory): string[] {
  return (['bitcoin', 'ethereum'] as const).flatMap((chain) =>
    (chains.get(chain)?.rows ?? [])
      .slice(-NEWEST - DAYS, -NEWEST)
      .flatMap((row) => (['gold', 'meta'] as const).map((genre) => dayPath(genre, chain, row.slice(0, 10)))),
  );
}
