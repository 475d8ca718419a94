import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { publicKey, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Changes, ReleaseChanges } from '../../../schemas/types.generated.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { writeInput, writeSmallInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const BASE = [{ name: 'my-node', licence: 'own data' }];
const segment = (licence: string) => ({ name: 'coinmetrics', licence });
const LINE = 'bitcoin: sources changed: coinmetrics CC-BY-NC 4.0 -> CC-BY 4.0';
const CHANGE = [{ from: segment('CC-BY-NC 4.0'), to: segment('CC-BY 4.0') }];

/** The first run of a process computes the fingerprint of the writers. */
const SLOW_MS = 300_000;

let folder: TemporaryFolder;
let input: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  input = await writeSmallInput(path.join(folder.path, 'input'), { days: { bitcoin: 5, base: 5 } });
  await writeSources('CC-BY-NC 4.0');
  expect(await run('publish', '2025-01-10', '--input', input)).toMatchObject({ code: 0 });
}, SLOW_MS);
afterEach(() => folder.dispose());

const run = (command: string, asOf: string, ...options: string[]): Promise<GeneratorRun> =>
  runInProcess([command, '--store', `file:${folder.path}/store`, '--as-of', asOf, ...options]);
const writeSources = (licence: string): Promise<string> =>
  writeInput(input, { 'sources.json': JSON.stringify({ bitcoin: [segment(licence)], base: BASE }) });

/** Returns the public list of changes, newest first. */
async function readChanges(): Promise<readonly ReleaseChanges[]> {
  const text = await readFile(path.join(folder.path, 'store', publicKey(PUBLIC_PATHS.changes)), 'utf8');
  return (JSON.parse(text) as Changes).releases; // the generator published it
}

it.each(['plan', 'publish'])('%s shows a licence that changed over all history', async (command) => {
  await writeSources('CC-BY 4.0');
  const { code, stdout } = await run(command, '2025-01-11', '--input', input);
  expect({ code, lines: stdout.split('\n') }).toMatchObject({
    code: 0,
    lines: expect.arrayContaining([LINE]),
  });
  expect(stdout).toMatch(/^bitcoin +published +2025-01-05 +0 +0 +5$/m);
  expect(stdout).toMatch(/^base +unchanged /m);
});

it.each(['plan', 'publish'])('%s --json names the sources before and after', async (command) => {
  await writeSources('CC-BY 4.0');
  const { stdout } = await run(command, '2025-01-11', '--input', input, '--json');
  const { outcome, chains } = JSON.parse(stdout);
  expect({ outcome, bitcoin: chains.bitcoin }).toMatchObject({
    outcome: 'published',
    bitcoin: { outcome: 'published', new: 0, sources_changed: CHANGE },
  });
  expect(chains.base).not.toHaveProperty('sources_changed');
});

it('the public changes name a licence that changed, also when a rollback brings the old one back', async () => {
  await writeSources('CC-BY 4.0');
  await run('publish', '2025-01-11', '--input', input);
  const [newest, first] = await readChanges();
  expect(newest?.chains.bitcoin).toEqual({
    updated_through: '2025-01-05',
    new: null,
    restated: null,
    withdrawn: null,
    label_changes: [],
    sources_changed: CHANGE,
  });
  expect([newest?.chains.base, newest?.reason]).toEqual([undefined, null]);
  expect(first?.chains.bitcoin).not.toHaveProperty('sources_changed');
  const back = ['--to', '2025-01-10.000001', '--reason', 'the licence was wrong'];
  expect(await run('rollback', '2025-01-12', ...back)).toMatchObject({ code: 0 });
  expect((await readChanges())[0]?.chains.bitcoin?.sources_changed).toEqual(
    CHANGE.map(({ from, to }) => ({ from: to, to: from })),
  );
});

it('a release with new dates only has no changed sources and no hold', async () => {
  await writeSmallInput(input, { days: { bitcoin: 6, base: 5 } });
  await writeSources('CC-BY-NC 4.0');
  await run('publish', '2025-01-11', '--input', input);
  const [newest] = await readChanges();
  expect(newest).not.toHaveProperty('hold');
  expect(newest?.chains.bitcoin).not.toHaveProperty('sources_changed');
});

it('hold and unhold have their reason in the output and in the public changes', async () => {
  const held = await run('hold', '2025-01-11', '--reason', 'input under review');
  expect(held.stdout).toContain('publication is held: input under review;');
  expect((await readChanges())[0]).toMatchObject({
    reason: 'input under review',
    hold: 'input under review',
    rollback: null,
    chains: {},
  });
  const released = await run('unhold', '2025-01-12');
  expect(released.stdout).toContain('publication continues; it was held: input under review\n');
  expect((await readChanges())[0]).toMatchObject({
    reason: 'input under review',
    hold: null,
    rollback: null,
  });
});

it('a rollback has its reason and the hold that it begins in the public changes', async () => {
  await writeSmallInput(input, { days: { bitcoin: 6, base: 5 } });
  await writeSources('CC-BY-NC 4.0');
  await run('publish', '2025-01-11', '--input', input);
  await run('rollback', '2025-01-12', '--to', '2025-01-10.000001', '--reason', 'a bad day');
  expect((await readChanges())[0]).toMatchObject({
    reason: 'a bad day',
    hold: 'a bad day',
    rollback: '2025-01-10.000001',
  });
});
