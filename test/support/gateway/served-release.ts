import { randomBytes } from 'node:crypto';
import { bundlePath, calendarPath, objectKey } from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { runGatewayProcess, type Variables } from './gateway-process.js';
import { MAIN as GENERATOR } from '../process/generator-run.js';
import { readCurrent, readManifests } from '../release/read-release.js';
import { assertSuccess, runProgram } from '../process/run-program.js';
import { writeSmallInput } from '../release/small-input.js';

/** Last date of the small release, which has only the chain base. */
export const LAST_DATE = '2025-04-29';

/** The bundle and the calendar that readers compare. */
export const BUNDLE = bundlePath('gold', 'base', '7d');
export const CALENDAR = calendarPath('base');

/** Number of days; the regime changes within the last seven. */
const DAYS = 119;
const AS_OF = '2025-04-30T00:00:00Z';

/** A release published by the built generator, and an account created by the built gateway. */
export type ServedRelease = {
  readonly store: ObjectStore;
  readonly record: ReleaseRecord;
  /** Key of an account with the plan Research. */
  readonly key: string;
  /** Variables of a gateway that serves it, without the public base URL that S3 requires. */
  readonly env: Variables;
};

/** Addresses of both stores, a folder for the input, and the variables of S3. */
export type ServedReleaseOptions = {
  readonly store: string;
  readonly accounts: string;
  readonly folder: string;
  readonly env?: Variables;
  /** Publishes the input in the folder as of this instant, instead of a small input. */
  readonly asOf?: string;
};

/** Options for `serveStore`. */
export type ServedStoreOptions = Pick<ServedReleaseOptions, 'store' | 'accounts' | 'env'>;

/** Publishes a release and creates an account with the built programs. */
export async function prepareServedRelease(options: ServedReleaseOptions): Promise<ServedRelease> {
  const { folder, asOf = AS_OF } = options;
  if (options.asOf === undefined) await writeSmallInput(folder, { days: { base: DAYS } });
  const s3 = options.env ?? {};
  const publish = ['publish', '--input', folder, '--store', options.store, '--as-of', asOf];
  assertSuccess(await runProgram(process.execPath, [GENERATOR, ...publish], s3));
  return serveStore(options);
}

/** Creates an account that can read the releases of an already published store. */
export async function serveStore(options: ServedStoreOptions): Promise<ServedRelease> {
  const s3 = options.env ?? {};
  const accounts = { ...s3, CRD_ACCOUNTS_STORE: options.accounts, CRD_KEY_MODE: 'test' };
  const account = ['--account', 'a-reader'];
  const grant = ['--plan', 'research', '--until', '2999-12-31', '--reason', 'a test'];
  assertSuccess(await runGatewayProcess(['grant', ...account, ...grant], accounts));
  const created = assertSuccess(await runGatewayProcess(['keys', 'create', ...account], accounts));
  const store = await openStore(options.store);
  const secret = options.store.startsWith('s3:') ? {} : { CRD_LINK_SECRET: randomBytes(32).toString('hex') };
  return {
    store,
    record: await readCurrent(store),
    key: created.stdout.trim(),
    env: { ...accounts, ...secret, CRD_STORE: options.store },
  };
}

/** Returns the digest of a path from the release or a manifest. */
export async function digestOf({ store, record }: ServedRelease, file: string): Promise<string> {
  const manifests = [...(await readManifests(store, record)).values()];
  const days = manifests.flatMap(({ dates }) => dates);
  const volumes = manifests.flatMap(({ volumes: own = [] }) =>
    own.flatMap(({ parquet, csv }) => [parquet, csv]),
  );
  const listed = [...days, ...volumes].find((each) => each.path === file);
  const digest = (record.public[file] ?? record.bundles[file] ?? record.manifests[file] ?? listed)?.sha256;
  if (typeof digest !== 'string') throw new Error(`the release has no ${file}`);
  return digest;
}

/** Returns the rows that readers must get: of the calendar, of the bundle, and of both joined by date. */
export async function publishedRows(release: ServedRelease) {
  const text = async (file: string): Promise<string> => {
    const object = await release.store.get(objectKey(await digestOf(release, file)));
    return Buffer.from(object?.bytes ?? []).toString();
  };
  const [, ...lines] = (await text(CALENDAR)).trim().split('\n');
  const calendar = lines.map((line) => line.split(',')).map(([date, , regime]) => ({ date, regime }));
  const bundle = JSON.parse(await text(BUNDLE)) as {
    days: { date: string; metrics: { tx_count: number } }[];
  }; // our own file
  const days = bundle.days.map(({ date, metrics }) => ({ date, tx_count: metrics.tx_count }));
  const joined = days.map((day) => ({ ...day, ...calendar.find(({ date }) => date === day.date) }));
  return { calendar, days, joined };
}
