import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { LABEL_MEANINGS } from '../../schemas/catalog.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { runAsProcess } from '../fixtures/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';
import { GOLDEN, listStore, publishGolden, readableKeys } from './scenario.js';

const release = path.join(GOLDEN, 'release');
const hint = 'if the change is meant, run "npm run golden" and say why in the commit';
let folder: TemporaryFolder;
let store: ObjectStore;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  store = await publishGolden(folder.path);
}, 120_000);
afterAll(() => folder.dispose());

/** The cells of every calendar row by column. */
async function calendarColumns(column: string): Promise<Set<string>> {
  const values = new Set<string>();
  for (const chain of ['bitcoin', 'ethereum', 'arbitrum', 'base']) {
    const text = await readFile(
      path.join(release, `files/public/api/v1/analyst-kit/${chain}/regime-calendar`),
      'utf8',
    );
    const [header = '', ...rows] = text.trimEnd().split('\n');
    const at = header.split(',').indexOf(column);
    rows.forEach((row) => values.add(row.split(',')[at] ?? ''));
  }
  return values;
}

describe('the golden release', () => {
  it('is what the committed input gives, byte for byte', async () => {
    const committed = await readFile(path.join(release, 'keys.txt'), 'utf8');
    const found = await listStore(store);
    const differing = found.split('\n').filter((line) => !committed.includes(line));
    expect({ differing: differing.slice(0, 5), hint }).toEqual({ differing: [], hint });
    expect(found).toBe(committed);
  });

  it('shows people the same bytes', async () => {
    for (const [key, text] of await readableKeys(store)) {
      expect(await readFile(path.join(release, 'files', key), 'utf8')).toBe(text);
    }
  });

  it('is sound, and recomputes from its gold days alone', async () => {
    const run = await runAsProcess(['verify', '--deep', '--quiet', '--store', store.address]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
  }, 60_000);

  it('has at least 500 days of each chain, every label, status and confidence level', async () => {
    for (const file of (await readdir(path.join(GOLDEN, 'input-1'))).filter((name) =>
      name.endsWith('.csv'),
    )) {
      const rows = (await readFile(path.join(GOLDEN, 'input-1', file), 'utf8')).trimEnd().split('\n');
      expect(rows.length).toBeGreaterThan(500);
    }
    expect([...(await calendarColumns('regime'))].sort()).toEqual(Object.keys(LABEL_MEANINGS).sort());
    expect([...(await calendarColumns('status'))].sort()).toEqual(['available', 'degraded', 'missing']);
    const scores = [...(await calendarColumns('confidence'))].map(Number).filter((score) => score > 0);
    expect(scores.some((score) => score >= 0.9)).toBe(true);
    expect(scores.some((score) => score >= 0.7 && score < 0.9)).toBe(true);
    expect(scores.some((score) => score < 0.7)).toBe(true);
  });

  it('has a hole, a restatement, and a chain that the second input lacks', async () => {
    const changes = JSON.parse(await readFile(path.join(release, 'files/public/api/v1/changes'), 'utf8'));
    expect(changes.releases[0].chains.ethereum.restated.days).toBeGreaterThan(20);
    expect(changes.releases[0].reason).toBe('upstream corrected one day of ethereum');
    expect(Object.keys(changes.releases[0].chains).sort()).toEqual(['arbitrum', 'bitcoin', 'ethereum']);
    const landing = JSON.parse(await readFile(path.join(release, 'files/public/api/v1/landing'), 'utf8'));
    expect(Object.keys(landing.chains).sort()).toEqual(['arbitrum', 'base', 'bitcoin', 'ethereum']);
    expect(await readFile(path.join(GOLDEN, 'input-1/bitcoin.csv'), 'utf8')).not.toContain('2022-09-10');
  });
});
