// Mirrors an archive into a folder and keeps it up to date: npx tsx sync.ts --chain bitcoin --genre gold --to mirror
/*
 * Reads the key only from the variable API_KEY. Node.js 20, no packages.
 * The gateway is --gateway, GATEWAY or http://127.0.0.1:8080 (this machine).
 *
 * mirror/gold/bitcoin/ contains manifest.json and an exact copy of the file of each date that the manifest lists.
 * - Only missing or different files are fetched, each at the manifest's revision. If a new release is published during
 *   the run, the mirror still matches the manifest, and the next run fetches the new release.
 * - A file gets its name only after its size and digest are verified. manifest.json is written last: while it exists,
 *   all files it lists exist. Before a run changes any of them, it renames the manifest to manifest.previous.json.
 * - The file of a restated date is replaced; the service keeps the old one under ?revision=. A file whose date was
 *   withdrawn, or that the manifest does not list, is moved to withdrawn/. Both are reported on stderr.
 * - After a failure or a kill, run it again: it continues where it stopped. Never run two at once in one folder.
 *
 * Exit codes: 0 the mirror is complete; 1 it is incomplete, run again; 2 wrong usage, or access refused.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

type Expected = { sha256: string; bytes: number };
type Link = Expected & { url: string };
type Entry = Expected & { date: string; status: string; superseded: { sha256: string; reason: string }[] };
type Manifest = {
  schema: string;
  chain: string;
  genre: string;
  sequence: number;
  published_revision: string;
  dates: Entry[];
};
type Options = {
  chain: string;
  genre: string;
  to: string;
  gateway: string;
  jobs: number;
  tries: number;
  key: string;
};

const TIMEOUT_MS = 60_000;
const LONGEST_WAIT_SECONDS = 120;
/** The run stops after this many failed dates. */
const MANY_FAULTS = 20;
const PROGRESS_FILES = 100;
const DAY_FILE = /^\d{4}-\d\d-\d\d\.json$/;

/** An error that no retry can fix. */
class Refused extends Error {}
/** A temporary error; `seconds` is the wait that the service asked for, if any. */
class TransientError extends Error {
  readonly seconds: number | undefined;
  constructor(message: string, seconds?: number) {
    super(message);
    this.seconds = seconds;
  }
}
/** A temporary error of one file: if it persists, the other files can still be fetched. */
class FileError extends TransientError {}

const ended = new AbortController();
const log = (text: string): void => void process.stderr.write(`${text}\n`);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns the bytes of a file, or `undefined` if it does not exist. */
const readHeld = (file: string): Promise<Buffer | undefined> =>
  readFile(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Returns the bytes of a file, verified against `listed` or else the link; `held` if the file is unchanged. */
async function fetchFile(
  options: Options,
  file: string,
  listed?: Expected,
  held?: Buffer,
): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const link = await requestLink(options, file, held && sha256(held));
      if (link === 'held' && held !== undefined) return held;
      if (link !== 'held') return await download(link.url, listed ?? link);
    } catch (error) {
      if (!(error instanceof TransientError) || attempt >= options.tries) throw error;
      const seconds = Math.min(error.seconds ?? 0.25 * 2 ** attempt, LONGEST_WAIT_SECONDS);
      await sleep(seconds * 1000, undefined, { signal: ended.signal });
    }
  }
}

/** Returns a link to a file that needs no key, or 'held' when the file still has the digest `held`. */
async function requestLink({ gateway, key }: Options, file: string, held?: string): Promise<Link | 'held'> {
  const headers = { 'X-API-Key': key, Accept: 'application/json; profile="signed-url"' };
  const condition = held === undefined ? {} : { 'If-None-Match': `"sha256:${held}"` };
  const url = `${gateway.replace(/\/+$/, '')}${file}`;
  // Redirects are not followed: that would send the key to another host.
  const answer = await connect(url, { headers: { ...headers, ...condition }, redirect: 'manual' });
  const text = new TextDecoder().decode(await readBody(answer, 65_536));
  if (answer.status === 304 && held !== undefined) return 'held';
  if (answer.status !== 200) throw explain(answer, text);
  const { url: where = '', bytes, sha256: digest = '' } = parse<Link>(text) ?? {};
  if (!/^https?:\/\//.test(where) || !Number.isInteger(bytes) || bytes === undefined || digest === '') {
    throw new TransientError(`${gateway} does not answer like the gateway: check the address`);
  }
  return { url: where, bytes, sha256: digest };
}

/** Downloads a link without sending the key. */
async function download(url: string, wanted: Expected): Promise<Uint8Array> {
  const answer = await connect(url, {});
  const bytes = await readBody(answer, wanted.bytes + 1);
  if (answer.status !== 200) throw new FileError(`its download link returned ${answer.status}`);
  if (bytes.length !== wanted.bytes || sha256(bytes) !== wanted.sha256) {
    throw new FileError('its size or digest differs from the listed one');
  }
  return bytes;
}

async function connect(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new TransientError(`no connection (${reasonOf(error)})`);
  }
}

/** Reads about `most` bytes of a response; the last piece may exceed the limit. */
async function readBody(answer: Response, most: number): Promise<Buffer> {
  const body: AsyncIterable<Uint8Array> = answer.body ?? Readable.from([]);
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      length += piece.length;
      if (length >= most) break;
    }
  } catch (error) {
    throw new FileError(`its download was cut off (${reasonOf(error)})`);
  }
  return Buffer.concat(pieces);
}

/** Returns the message of an error; fetch puts the reason into the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function parse<T>(text: string): Partial<T> | undefined {
  try {
    return JSON.parse(text) as Partial<T>;
  } catch {
    return undefined;
  }
}

/** Returns the error for an error status of the gateway. */
function explain({ status, headers }: Response, text: string): Error {
  if (status >= 300 && status < 400) {
    const where = headers.get('location') ?? 'nowhere';
    return new Refused(`the gateway redirects to ${where} unexpectedly; the key was not sent there`);
  }
  const problem = parse<{ detail: string; code: string }>(text);
  const message = problem?.code ? `${problem.detail} (${problem.code})` : `the gateway answered ${status}`;
  if (status === 429 || status >= 500) {
    const after = headers.get('retry-after') ?? '';
    return new TransientError(message, /^\d+$/.test(after) ? Number(after) : undefined);
  }
  return status === 404 || status === 410 ? new FileError(message) : new Refused(message);
}

/** Writes a file that gets its name only after its bytes are on the disk. */
async function write(file: string, bytes: Uint8Array): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  const handle = await open(part, 'w');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(part, file);
}

async function settle(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // Windows cannot open a folder
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

async function moveAside(folder: string, name: string): Promise<void> {
  const date = name.replace('.json', '');
  const aside = `${date}-${sha256(await readFile(path.join(folder, name))).slice(0, 16)}.json`;
  await mkdir(path.join(folder, 'withdrawn'), { recursive: true });
  await rename(path.join(folder, name), path.join(folder, 'withdrawn', aside));
  log(`${date} is withdrawn or not listed: moved to withdrawn/${aside}`);
}

/** Updates a mirror to the release of the gateway's manifest. */
class Run {
  readonly name: string;
  readonly options: Options;
  readonly folder: string;
  readonly manifest: string;
  readonly previous: string;
  readonly path: string;
  fetched = 0;
  wanted = 0;
  failed = 0;

  constructor(options: Options) {
    const { chain, genre, to } = options;
    this.options = options;
    this.name = `${chain} ${genre}`;
    this.folder = path.join(to, genre, chain);
    this.manifest = path.join(this.folder, 'manifest.json');
    this.previous = path.join(this.folder, 'manifest.previous.json');
    this.path = `/api/v1/files/${genre}/${genre === 'briefs' ? 'chains/' : ''}${chain}`;
  }

  fileOf(date: string): string {
    return path.join(this.folder, `${date}.json`);
  }

  async readManifest(): Promise<{ bytes: Uint8Array; manifest: Manifest }> {
    const held = (await readHeld(this.manifest)) ?? (await readHeld(this.previous));
    const bytes = await fetchFile(this.options, `${this.path}/manifest.json`, undefined, held);
    const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Manifest; // its digest is verified
    const { schema, chain, genre, sequence, dates } = manifest;
    if (schema !== 'manifest/1' && schema !== 'manifest/2') {
      throw new Refused(`the manifest is ${schema}: get a newer version of this program`);
    }
    if (chain !== this.options.chain || genre !== this.options.genre) {
      throw new Refused('the manifest belongs to another archive');
    }
    if (!dates.every(({ date }) => DAY_FILE.test(`${date}.json`))) {
      throw new Refused('the manifest lists an invalid date');
    }
    // A local file that is not a valid manifest counts as 0 and is replaced.
    if ((parse<Manifest>(held?.toString() ?? '')?.sequence ?? 0) > sequence) {
      throw new TransientError('the gateway serves an older release than the mirror; nothing was changed');
    }
    return { bytes, manifest };
  }

  /** Returns the entries that are missing, that were restated, and whose local file matches no published version. */
  async sort(entries: Entry[]): Promise<{ missing: Entry[]; restated: Entry[]; altered: Entry[] }> {
    const missing: Entry[] = [];
    const restated: Entry[] = [];
    const altered: Entry[] = [];
    for (const entry of entries) {
      const bytes = await readHeld(this.fileOf(entry.date));
      const digest = bytes && sha256(bytes);
      const old = entry.superseded.find((each) => each.sha256 === digest);
      if (digest === undefined) missing.push(entry);
      else if (digest === entry.sha256) continue;
      else if (old !== undefined) {
        restated.push(entry);
        log(`${entry.date} is restated: ${old.reason}`);
      } else {
        altered.push(entry);
        log(`${entry.date} was changed locally: fetching it again`);
      }
    }
    return { missing, restated, altered };
  }

  async fetchAll(entries: Entry[], revision: string): Promise<void> {
    const queue = entries.values();
    let fault: Error | undefined;
    const work = async (): Promise<void> => {
      try {
        for (const entry of queue) {
          if (fault !== undefined) return;
          await this.fetchDay(entry, revision);
        }
      } catch (error) {
        fault ??= error instanceof Error ? error : new Error(String(error));
        ended.abort(); // ends the waits of the other workers
      }
    };
    await Promise.all(Array.from({ length: this.options.jobs }, work));
    if (fault !== undefined) throw fault;
    if (this.failed > 0) throw new TransientError(`${this.failed} dates could not be fetched`);
  }

  async fetchDay(entry: Entry, revision: string): Promise<void> {
    try {
      const file = `${this.path}/${entry.date}.json?revision=${revision}`;
      await write(this.fileOf(entry.date), await fetchFile(this.options, file, entry));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.failed += 1;
      log(`${entry.date}: ${error.message}`);
      if (this.failed >= MANY_FAULTS) throw new TransientError(`${this.failed} dates could not be fetched`);
      return;
    }
    this.fetched += 1;
    if (this.fetched % PROGRESS_FILES === 0) log(`${this.name}: ${this.fetched} of ${this.wanted} fetched`);
  }

  async do(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    const left = (await readdir(this.folder)).filter((name) => name.endsWith('.part')); // left by a run that was killed
    for (const name of left) await rm(path.join(this.folder, name), { force: true });
    const { bytes, manifest } = await this.readManifest();
    const revision = manifest.published_revision;
    const listed = manifest.dates.filter(({ status }) => status !== 'withdrawn');
    const names = new Set(listed.map(({ date }) => `${date}.json`));
    const { missing, restated, altered } = await this.sort(listed);
    const here = (await readdir(this.folder)).sort();
    const unlisted = here.filter((name) => DAY_FILE.test(name) && !names.has(name));
    this.wanted = missing.length + restated.length + altered.length;
    await this.fetchAll(missing, revision);
    if (restated.length + altered.length + unlisted.length > 0) {
      if (here.includes('manifest.json')) await rename(this.manifest, this.previous);
      await settle(this.folder);
      await this.fetchAll([...restated, ...altered], revision);
      for (const name of unlisted) await moveAside(this.folder, name);
    }
    await this.finish(bytes);
    return (
      `${this.name} at ${revision}: ${listed.length} dates, ${this.fetched} fetched, ${restated.length} restated, ` +
      `${altered.length} repaired, ${unlisted.length} moved aside`
    );
  }

  /** Writes the manifest after the names of all other files are on the disk. */
  async finish(bytes: Uint8Array): Promise<void> {
    await settle(this.folder);
    const held = await readHeld(this.manifest);
    if (held === undefined || sha256(held) !== sha256(bytes)) await write(this.manifest, bytes);
    await rm(this.previous, { force: true });
    await settle(this.folder);
  }
}

function readOptions(): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { chain: text, genre: text, to: text, gateway: text, jobs: text, tries: text },
  });
  const check = (name: string, value: string | undefined, pattern: RegExp): string => {
    if (value === undefined || !pattern.test(value)) {
      throw new Refused(
        `--${name} is missing or invalid. Usage: npx tsx sync.ts --chain C --genre G --to DIR`,
      );
    }
    return value;
  };
  const number = /^([1-9]|[1-2][0-9]|3[0-2])$/;
  const { API_KEY: key = '', GATEWAY } = process.env;
  if (!/^[!-~]+$/.test(key)) throw new Refused('the variable API_KEY contains no key');
  const gateway = values.gateway ?? (GATEWAY || 'http://127.0.0.1:8080');
  if (/^http:\/\/(?!(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(gateway)) {
    throw new Refused('--gateway: a key is only sent over https, except on this machine');
  }
  return {
    chain: check('chain', values.chain, /^[a-z]+$/),
    genre: check('genre', values.genre, /^(meta|gold|derived|briefs)$/),
    to: check('to', values.to, /./),
    gateway: check('gateway', gateway, /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/),
    jobs: Number(check('jobs', values.jobs ?? '4', number)),
    tries: Number(check('tries', values.tries ?? '6', number)),
    key,
  };
}

async function main(): Promise<number> {
  let run: Run | undefined;
  try {
    run = new Run(readOptions());
    process.stdout.write(`${await run.do()}\n`);
    return 0;
  } catch (error) {
    log(`sync: ${error instanceof Error ? error.message : String(error)}`);
    if (run === undefined || error instanceof Refused) return 2;
    process.stdout.write(
      `${run.name}: incomplete, ${run.fetched} of ${run.wanted} fetched; run again to continue\n`,
    );
    return 1;
  }
}

void main().then((code) => (process.exitCode = code));
