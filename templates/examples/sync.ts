// Mirrors the archive of a chain in one genre: npx tsx sync.ts --chain bitcoin --genre gold --to mirror
/*
 * Reads GATEWAY, by default http://127.0.0.1:8080 (this machine), and API_KEY. Node.js 20, no packages.
 *
 * mirror/gold/bitcoin/ gets a Parquet file for each closed year or month, the file of each later day, and manifest.json,
 * which lists them. A file that has the listed digest already is kept, so a run that was stopped can be run again. Files
 * that are no longer listed stay. `crd sync` of the Python client moves them aside, retries, and downloads in parallel.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

type Listed = { path: string; sha256: string };
type Manifest = {
  published_revision: string;
  volumes?: { last_date: string; parquet: Listed }[];
  dates: (Listed & { date: string; status: string })[];
};

const { API_KEY = '' } = process.env;
const GATEWAY = (process.env['GATEWAY'] ?? 'http://127.0.0.1:8080').replace(/\/$/, '');

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Sends a request again as soon as the gateway permits it. */
async function get(url: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.ok) return answer;
  if (answer.status !== 429)
    throw new Error(`${answer.status} from ${url.split('?')[0]}: ${await answer.text()}`);
  await sleep(1000 * Number(answer.headers.get('Retry-After') ?? 1));
  return get(url, init);
}

/** Returns the verified bytes of a file. Only the gateway gets the key: fetch would forward it with a redirect. */
async function download(file: string, listed?: string): Promise<Uint8Array> {
  const headers = { 'X-API-Key': API_KEY };
  const link = await get(`${GATEWAY}${file}?redirect=false`, { headers, redirect: 'error' });
  const { url, sha256 } = (await link.json()) as { url: string; sha256: string };
  const bytes = new Uint8Array(await (await get(url)).arrayBuffer());
  if (sha256Of(bytes) === (listed ?? sha256)) return bytes;
  throw new Error(`${file} was damaged in transit, or replaced by a new release: run again`);
}

/** Writes a file that gets its name when it is complete. */
async function save(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { chain: text, genre: text, to: text } });
  const { chain = 'bitcoin', genre = 'gold', to = 'mirror' } = values;
  const base = `/api/v1/files/${genre}/${genre === 'briefs' ? 'chains/' : ''}${chain}/`;
  const bytes = await download(`${base}manifest.json`);
  const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Manifest; // its digest is verified
  const volumes = manifest.volumes ?? [];
  const covered = volumes.at(-1)?.last_date ?? '';
  const days = manifest.dates.filter(({ date, status }) => date > covered && status !== 'withdrawn');
  const files = [...volumes.map(({ parquet }) => parquet), ...days];
  let fetched = 0;
  for (const { path: listed, sha256 } of files) {
    const name = listed.slice(base.length);
    if (!/^(volumes\/)?[\d-]+\.(parquet|json)$/.test(name)) throw new Error(`${listed} is not a known file`);
    const file = path.join(to, genre, chain, name);
    const held = await readFile(file).catch(() => undefined);
    if (held !== undefined && sha256Of(held) === sha256) continue;
    await save(file, await download(listed, sha256));
    fetched += 1;
  }
  await save(path.join(to, genre, chain, 'manifest.json'), bytes);
  console.log(
    `${chain} ${genre} at ${manifest.published_revision}: ${files.length} files, ${fetched} fetched`,
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
