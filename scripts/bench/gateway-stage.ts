import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { bundlePath, dayPath, POINTER_KEY } from '../../schemas/paths.js';
import { assertValid } from '../../schemas/validate.js';
import type { BenchTerms } from './bench.js';
import { runChild } from './child-process.js';
import { cutHistory, writeHistory, type MetricsHistory } from './metrics-history.js';

/** Releases of one store, from the first on, and an account that may read all of them. */
export type Stage = {
  /** The folder of the store; it holds what all releases hold. */
  readonly store: string;
  /** The pointer to each release, as text in one line and by its sequence. */
  readonly pointers: readonly { readonly text: string; readonly sequence: number }[];
  /** More day files than anybody answers in a second, so that no URL need be signed twice. */
  readonly days: readonly string[];
  readonly accounts: string;
  readonly key: string;
};

/** The bundle that is asked for. */
export const BUNDLE = bundlePath('gold', 'ethereum', '7d');

/** Of so many days of a chain files are asked for, and of no newer ones. */
const DAYS = 3_500;
const NEWEST = 100;

/** Credentials that sign, and that nothing checks. */
export const AWS = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'us-east-1',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
} as const;

/**
 * Publishes a history without its last days as the first release, and then each of those days as a release more; makes
 * an account and a key. All of it with the built programs, in the folder `work`.
 */
export async function prepareStage(
  history: MetricsHistory,
  { work, newDays }: { readonly work: string; readonly newDays: number },
  terms: BenchTerms,
): Promise<Stage> {
  const store = path.join(work, 'store');
  const accounts = path.join(work, 'accounts');
  const peakFile = path.join(work, 'peak');
  const pointers: Stage['pointers'][number][] = [];
  for (let missing = newDays; missing >= 0; missing -= 1) {
    const cut = cutHistory(history, CHAIN_IDS, (rows) => rows.slice(0, rows.length - missing));
    const { folder, asOf } = await writeHistory(path.join(work, `input-${missing}`), cut);
    const args = ['publish', '--input', folder, '--store', `file:${store}`, '--as-of', asOf, '--quiet'];
    await runChild({ script: 'generator/main.js', args, peakFile }, terms);
    const text = await readFile(path.join(store, POINTER_KEY), 'utf8');
    const pointer = assertValid('pointer', JSON.parse(text));
    pointers.push({ text: JSON.stringify(pointer), sequence: pointer.sequence });
  }
  const environment = { ...terms.environment, CRD_ACCOUNTS_STORE: `file:${accounts}`, CRD_KEY_MODE: 'test' };
  const operate = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await runChild(
      { script: 'gateway/main.js', args, peakFile },
      { ...terms, environment },
    );
    return stdout.trim();
  };
  const grant = ['--plan', 'research', '--until', '2999-12-31', '--reason', 'bench'];
  await operate('grant', '--account', 'bench', ...grant);
  const key = await operate('keys', 'create', '--account', 'bench');
  return { store, pointers, days: listDays(history), accounts, key };
}

/** The day files of the longest histories, the newest days left out: some are not published at first. */
function listDays({ chains }: MetricsHistory): string[] {
  return (['bitcoin', 'ethereum'] as const).flatMap((chain) =>
    (chains.get(chain)?.rows ?? [])
      .slice(-NEWEST - DAYS, -NEWEST)
      .flatMap((row) => (['gold', 'meta'] as const).map((genre) => dayPath(genre, chain, row.slice(0, 10)))),
  );
}
