import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Genre } from '../../../schemas/types.generated.js';
import { bundlePath, calendarPath, methodologyDataPath, objectKey } from '../../../schemas/paths.js';
import type { Chain, Window } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { readCurrent, readManifests } from '../release/read-release.js';
import { runProgram, type ProgramRun } from '../process/run-program.js';
import { CLIENT_SOURCES, installClients } from './python-clients.js';

/** A folder with the files of a release that `crd recompute` needs. */
export type Download = {
  readonly folder: string;
  readonly methodology: string;
  /** Returns the folder of a chain's day files. */
  readonly days: (genre: Genre, chain: Chain) => string;
  readonly calendar: (chain: Chain) => string;
  readonly bundle: (genre: Genre, chain: Chain, window: Window) => string;
};

/**
 * Downloads the gold and meta days, the calendars and the 365d bundles of the current release. Installs the client's
 * packages first, which takes minutes once.
 */
export async function downloadRelease(store: ObjectStore, folder: string): Promise<Download> {
  installClients();
  const record = await readCurrent(store);
  const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
  const download: Download = {
    folder,
    methodology: inFolder('v1.json'),
    days: (genre, chain) => inFolder('mirror', genre, chain),
    calendar: (chain) => inFolder(`${chain}.csv`),
    bundle: (genre, chain, window) => inFolder(`${genre}-${chain}-${window}.json`),
  };
  const save = async (digest: string | undefined, file: string): Promise<void> => {
    const object = await store.get(objectKey(digest ?? ''));
    if (object === undefined) throw new Error(`the release has no object for ${file}`);
    await writeFile(file, object.bytes);
  };
  await mkdir(folder, { recursive: true });
  await save(record.public[methodologyDataPath('v1')]?.sha256, download.methodology);
  for (const { genre, chain, dates } of (await readManifests(store, record)).values()) {
    if (genre !== 'gold' && genre !== 'meta') continue;
    const days = download.days(genre, chain);
    await mkdir(days, { recursive: true });
    for (const { date, sha256 } of dates) await save(sha256, path.join(days, `${date}.json`));
    await save(
      record.bundles[bundlePath(genre, chain, '365d')]?.sha256,
      download.bundle(genre, chain, '365d'),
    );
    await save(record.public[calendarPath(chain)]?.sha256, download.calendar(chain));
  }
  return download;
}

/** Runs Python with the client, and without a service or a key in its environment. */
export function runPython(args: readonly string[]): Promise<ProgramRun> {
  const env = { PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: CLIENT_SOURCES };
  return runProgram(installClients(), args, { PATH: process.env['PATH'] ?? '', ...env });
}

export function runRecompute(args: readonly string[]): Promise<ProgramRun> {
  return runPython(['-m', 'crd', 'recompute', ...args]);
}

/** Returns the arguments of `crd recompute` for gold days and the methodology of a download. */
export function argumentsFor(
  { methodology }: Download,
  gold: readonly string[],
  ...options: readonly string[]
): string[] {
  return ['--methodology', methodology, ...gold, ...options];
}

/** Copies the gold days of a chain for a test to alter. Replaces the previous copy. */
export async function copyGold(download: Download, chain: Chain): Promise<string> {
  const copy = path.join(download.folder, 'copy');
  await rm(copy, { recursive: true, force: true });
  await cp(download.days('gold', chain), copy, { recursive: true });
  return copy;
}

/** Changes the last digit of a metric in a gold file. @throws Error if it has no such metric. */
export async function changeDigit(file: string, metric: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const changed = text.replace(
    new RegExp(`("${metric}":[0-9.]*)([0-9])`),
    (_, head: string, digit: string) => `${head}${(Number(digit) + 1) % 10}`,
  );
  if (changed === text) throw new Error(`${file} has no ${metric}`);
  await writeFile(file, changed);
}

/** A row of a calendar. */
export type RegimeRow = {
  readonly date: string;
  readonly chain: string;
  readonly regime: string;
  readonly confidence: string;
  readonly determinism_hash: string;
};

/** Parses a regime calendar or the output of `crd recompute`. */
export function regimeRows(text: string): RegimeRow[] {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const columns = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? `no ${name}`;
    return {
      date: cell('date'),
      chain: cell('chain'),
      regime: cell('regime'),
      confidence: cell('confidence'),
      determinism_hash: cell('determinism_hash'),
    };
  });
}
