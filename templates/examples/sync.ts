// Mirrors an archive into a folder, and keeps it up to date: npx tsx sync.ts --chain bitcoin --genre gold --to mirror
/*
 * Takes the key from the variable API_KEY alone, and the gateway from --gateway or GATEWAY. Node.js 20, no packages.
 *
 * mirror/gold/bitcoin/ holds manifest.json and, byte for byte, a file for each date that the manifest has as published.
 * - Only what is missing or differs is fetched, each date as of the manifest's revision: whatever is published
 *   meanwhile, the mirror is that release, and the next run brings the rest.
 * - A file gets its name once its size and its digest are right. manifest.json is the last, and while it is there all
 *   that it lists is there: before a run changes any of that, the manifest becomes manifest.previous.json.
 * - The file of a restated date is replaced; the service keeps the old one, by ?revision=. A file whose date was
 *   withdrawn, or that the manifest does not list, is moved to withdrawn/. Each is told on stderr.
 * - After a failure or a kill, run it again: it goes on where it was. Run one at a time in a folder.
 *
 * Exit codes: 0 the mirror is complete, 1 it is not yet, run again, 2 wrong usage, or refused.
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
type Terms = {
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
/** So many dates may fail before the run is given up. */
const MANY_FAULTS = 20;
const PROGRESS_FILES = 100;
const DAY_FILE = /^\d{4}-\d\d-\d\d\.json$/;

/** No other try can help. */
class Refused extends Error {}
/** A fault that may be over soon; in so many seconds, if the service says so. */
class Passing extends Error {
  readonly seconds: number | undefined;
  constructor(message: string, seconds?: number) {
    super(message);
    this.seconds = seconds;
  }
}
/** The same, of one file: when it stays, the others may still be had. */
class Spoilt extends Passing {}

const ended = new AbortController();
const tell = (text: string): void => void process.stderr.write(`${text}\n`);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes of a file; `undefined` where there is none. */
const readHeld = (file: string): Promise<Buffer | undefined> =>
  readFile(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The bytes of a file: those that a manifest lists, or that the link says; `held` where these are the same. */
async function fetchFile(terms: Terms, file: string, listed?: Expected, held?: Buffer): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const link = await askForLink(terms, file, held && sha256(held));
      if (link === 'held' && held !== undefined) return held;
      if (link !== 'held') return await follow(link.url, listed ?? link);
    } catch (error) {
      if (!(error instanceof Passing) || attempt >= terms.tries) throw error;
      const seconds = Math.min(error.seconds ?? 0.25 * 2 ** attempt, LONGEST_WAIT_SECONDS);
      await sleep(seconds * 1000, undefined, { signal: ended.signal });
    }
  }
}

/** Where a file is to be had, by a link that needs no key; `held` when it is the one of the digest. */
async function askForLink({ gateway, key }: Terms, file: string, held?: string): Promise<Link | 'held'> {
  const headers = { 'X-API-Key': key, Accept: 'application/json; profile="signed-url"' };
  const condition = held === undefined ? {} : { 'If-None-Match': `"sha256:${held}"` };
  const url = `${gateway.replace(/\/+$/, '')}${file}`;
  // A redirect is not followed: the key would go along, to whatever host that is.
  const answer = await connect(url, { headers: { ...headers, ...condition }, redirect: 'manual' });
  const text = new TextDecoder().decode(await readBody(answer, 65_536));
  if (answer.status === 304 && held !== undefined) return 'held';
  if (answer.status !== 200) throw explain(answer, text);
  const { url: where = '', bytes, sha256: digest = '' } = parse<Link>(text) ?? {};
  if (!/^https?:\/\//.test(where) || !Number.isInteger(bytes) || bytes === undefined || digest === '') {
    throw new Passing(`what answers at ${gateway} is not the gateway`);
  }
  return { url: where, bytes, sha256: digest };
}

/** What a link leads to, asked for without the key. */
async function follow(url: string, wanted: Expected): Promise<Uint8Array> {
  const answer = await connect(url, {});
  const bytes = await readBody(answer, wanted.bytes + 1);
  if (answer.status !== 200) throw new Spoilt(`its link was answered by ${answer.status}`);
  if (bytes.length !== wanted.bytes || sha256(bytes) !== wanted.sha256) {
    throw new Spoilt('its size or digest is not the one that is listed');
  }
  return bytes;
}

async function connect(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new Passing(`no connection (${reasonOf(error)})`);
  }
}

/** At most so many bytes of an answer, and perhaps some more of its last piece. */
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
    throw new Spoilt(`its bytes broke off (${reasonOf(error)})`);
  }
  return Buffer.concat(pieces);
}

/** What a foreign error says; that of fetch has it in its cause. */
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

/** What a refusal of the gateway means for the run. */
function explain({ status, headers }: Response, text: string): Error {
  if (status >= 300 && status < 400) {
    const where = headers.get('location') ?? 'nowhere';
    return new Refused(`the gateway leads to ${where} without being asked to; the key was not sent there`);
  }
  const problem = parse<{ detail: string; code: string }>(text);
  const said = problem?.code ? `${problem.detail} (${problem.code})` : `the gateway answered ${status}`;
  if (status === 429 || status >= 500) {
    const after = headers.get('retry-after') ?? '';
    return new Passing(said, /^\d+$/.test(after) ? Number(after) : undefined);
  }
  return status === 404 || status === 410 ? new Spoilt(said) : new Refused(said);
}

/** Gives bytes their name once they are on the disk. */
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
  if (process.platform === 'win32') return; // there a folder cannot be opened
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

async function moveAside(folder: string, name: string): Promise<void> {
  const date = name.replace('.json', '');
  const aside = `${date}-${sha256(await readFile(path.join(folder, name))).slice(0, 16)}.json`;
  await mkdir(path.join(folder, 'withdrawn'), { recursive: true });
  await rename(path.join(folder, name), path.join(folder, 'withdrawn', aside));
  tell(`${date} is withdrawn, or was never listed: moved to withdrawn/${aside}`);
}

/** Brings a mirror to the release that the gateway's manifest is of. */
class Run {
  readonly name: string;
  readonly terms: Terms;
  readonly folder: string;
  readonly manifest: string;
  readonly previous: string;
  readonly path: string;
  fetched = 0;
  wanted = 0;
  failed = 0;

  constructor(terms: Terms) {
    const { chain, genre, to } = terms;
    this.terms = terms;
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
    const bytes = await fetchFile(this.terms, `${this.path}/manifest.json`, undefined, held);
    const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Manifest; // the digest is right
    const { schema, chain, genre, sequence, dates } = manifest;
    if (schema !== 'manifest/1') {
      throw new Refused(`the manifest is ${schema}: get a newer version of this program`);
    }
    if (chain !== this.terms.chain || genre !== this.terms.genre) {
      throw new Refused('the manifest is of another archive');
    }
    if (!dates.every(({ date }) => DAY_FILE.test(`${date}.json`))) {
      throw new Refused('the manifest lists what is no date');
    }
    // What is here and no manifest of ours is replaced.
    if ((parse<Manifest>(held?.toString() ?? '')?.sequence ?? 0) > sequence) {
      throw new Passing('the gateway is at an older release than the mirror; nothing was changed');
    }
    return { bytes, manifest };
  }

  /** What is missing, what was restated, and what is here but never was as it is. */
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
        tell(`${entry.date} is restated: ${old.reason}`);
      } else {
        altered.push(entry);
        tell(`${entry.date} was altered here: it is fetched again`);
      }
    }
    return { missing, restated, altered };
  }

  async bringAll(entries: Entry[], revision: string): Promise<void> {
    const queue = entries.values();
    let fault: Error | undefined;
    const work = async (): Promise<void> => {
      try {
        for (const entry of queue) {
          if (fault !== undefined) return;
          await this.bring(entry, revision);
        }
      } catch (error) {
        fault ??= error instanceof Error ? error : new Error(String(error));
        ended.abort(); // the waiting of the others
      }
    };
    await Promise.all(Array.from({ length: this.terms.jobs }, work));
    if (fault !== undefined) throw fault;
    if (this.failed > 0) throw new Passing(`${this.failed} of the dates cannot be had`);
  }

  async bring(entry: Entry, revision: string): Promise<void> {
    try {
      const file = `${this.path}/${entry.date}.json?revision=${revision}`;
      await write(this.fileOf(entry.date), await fetchFile(this.terms, file, entry));
    } catch (error) {
      if (!(error instanceof Spoilt)) throw error;
      this.failed += 1;
      tell(`${entry.date}: ${error.message}`);
      if (this.failed >= MANY_FAULTS) throw new Passing(`${this.failed} of the dates cannot be had`);
      return;
    }
    this.fetched += 1;
    if (this.fetched % PROGRESS_FILES === 0) tell(`${this.name}: ${this.fetched} of ${this.wanted} fetched`);
  }

  async do(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    const left = (await readdir(this.folder)).filter((name) => name.endsWith('.part')); // by a run that was killed
    for (const name of left) await rm(path.join(this.folder, name), { force: true });
    const { bytes, manifest } = await this.readManifest();
    const revision = manifest.published_revision;
    const listed = manifest.dates.filter(({ status }) => status !== 'withdrawn');
    const names = new Set(listed.map(({ date }) => `${date}.json`));
    const { missing, restated, altered } = await this.sort(listed);
    const here = (await readdir(this.folder)).sort();
    const unlisted = here.filter((name) => DAY_FILE.test(name) && !names.has(name));
    this.wanted = missing.length + restated.length + altered.length;
    await this.bringAll(missing, revision);
    if (restated.length + altered.length + unlisted.length > 0) {
      if (here.includes('manifest.json')) await rename(this.manifest, this.previous);
      await settle(this.folder);
      await this.bringAll([...restated, ...altered], revision);
      for (const name of unlisted) await moveAside(this.folder, name);
    }
    await this.finish(bytes);
    return (
      `${this.name} at ${revision}: ${listed.length} dates, ${this.fetched} fetched, ${restated.length} restated, ` +
      `${altered.length} repaired, ${unlisted.length} moved aside`
    );
  }

  /** Writes the manifest once the names of all others are on the disk. */
  async finish(bytes: Uint8Array): Promise<void> {
    await settle(this.folder);
    const held = await readHeld(this.manifest);
    if (held === undefined || sha256(held) !== sha256(bytes)) await write(this.manifest, bytes);
    await rm(this.previous, { force: true });
    await settle(this.folder);
  }
}

function readTerms(): Terms {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { chain: text, genre: text, to: text, gateway: text, jobs: text, tries: text },
  });
  const check = (name: string, value: string | undefined, pattern: RegExp): string => {
    if (value === undefined || !pattern.test(value)) {
      throw new Refused(`--${name} is missing, or is not one; npx tsx sync.ts --chain C --genre G --to DIR`);
    }
    return value;
  };
  const number = /^([1-9]|[1-2][0-9]|3[0-2])$/;
  const { API_KEY: key = '', GATEWAY } = process.env;
  if (!/^[!-~]+$/.test(key)) throw new Refused('the variable API_KEY has no key');
  const gateway = values.gateway ?? (GATEWAY || 'http://127.0.0.1:8080');
  if (/^http:\/\/(?!(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(gateway)) {
    throw new Refused('--gateway: a key is sent by https only, except on this machine');
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
    run = new Run(readTerms());
    process.stdout.write(`${await run.do()}\n`);
    return 0;
  } catch (error) {
    tell(`sync: ${error instanceof Error ? error.message : String(error)}`);
    if (run === undefined || error instanceof Refused) return 2;
    process.stdout.write(
      `${run.name}: incomplete, ${run.fetched} of ${run.wanted} fetched; run again to go on\n`,
    );
    return 1;
  }
}

void main().then((code) => (process.exitCode = code));
