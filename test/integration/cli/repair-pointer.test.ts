import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  ALIASES_KEY,
  bundlePath,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  releaseKey,
} from '../../../schemas/paths.js';
import type { Pointer, ReleaseRecord } from '../../../schemas/types.generated.js';
import { flipBit, keyOfPath, readRelease } from '../../support/release/edit-store.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { useDamagedStore } from '../../support/release/published-store.js';

const { published, store, verify } = useDamagedStore();
const FIRST = '2025-02-01.000001';
const SECOND = '2025-02-02.000001';

let pointer: Pointer;
let record: ReleaseRecord;
let pointerText: string;
beforeAll(async () => {
  ({ pointer, record } = await readRelease(store()));
  pointerText = (await store().read(POINTER_KEY)).toString();
});

const repair = (...options: string[]): Promise<GeneratorRun> =>
  runInProcess(['repair', '--store', `file:${published().root}`, ...options]);
const currentPointer = async (): Promise<string | undefined> =>
  store()
    .read(POINTER_KEY)
    .then(String, () => undefined);

/** Writes a record that was never committed, and returns its digest. */
async function putOrphan(change: Partial<ReleaseRecord>): Promise<string> {
  const orphan = { ...record, ...change };
  const text = canonicalJson(orphan);
  const key = releaseKey(orphan.revision, sha256Hex(text));
  await mkdir(path.dirname(path.join(store().root, key)), { recursive: true });
  await store().write(key, text);
  return sha256Hex(text);
}

/** Removes what tells repair that a release was committed. */
async function removeCopies(): Promise<void> {
  await store().remove(ALIASES_KEY);
  for (const path of [PUBLIC_PATHS.release, PUBLIC_PATHS.status]) await store().remove(publicKey(path));
}

async function expectRestored(run: GeneratorRun): Promise<void> {
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('pointer restored') });
  expect(await currentPointer()).toBe(pointerText);
  expect(await verify()).toMatchObject({ code: 0 });
}

async function expectRefused(run: GeneratorRun, ...says: string[]): Promise<void> {
  expect(run).toMatchObject({ code: 2, stdout: '' });
  for (const each of says) expect(run.stderr).toContain(each);
  expect(await currentPointer()).not.toBe(pointerText);
}

describe('repair --pointer', () => {
  it('restores a pointer that is missing', async () => {
    await store().remove(POINTER_KEY);
    const lost = await repair();
    expect(lost).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(`run again with --pointer ${SECOND}`),
    });
    await expectRestored(await repair('--pointer', SECOND));
  });

  it('restores a pointer that is not valid', async () => {
    for (const bytes of ['', '{"schema":"pointer/1"}']) {
      await store().write(POINTER_KEY, bytes);
      await expectRestored(await repair('--pointer', SECOND));
    }
  });

  it('also repairs the public copies, and reports both', async () => {
    await store().remove(POINTER_KEY);
    await store().write(publicKey(PUBLIC_PATHS.landing), 'corrupt');
    const { code, stdout } = await repair('--pointer', SECOND, '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      outcome: 'repaired',
      pointer: 'restored',
      revision: SECOND,
      aliases: { objects: 1 },
    });
    await expectRestored({ code: 0, stdout: 'pointer restored', stderr: '' });
  });

  it('refuses to move an intact pointer, and shows it', async () => {
    for (const revision of [FIRST, SECOND]) {
      const run = await repair('--pointer', revision);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain(`to ${SECOND} (sequence 2, ${pointer.sha256})`);
      expect(await currentPointer()).toBe(pointerText);
    }
  });

  it('ignores an uncommitted record of the same revision if public files are of the other record', async () => {
    const status = { sha256: 'f'.repeat(64), bytes: 1, type: 'application/json', revision: SECOND };
    await putOrphan({ public: { ...record.public, [PUBLIC_PATHS.status]: status } });
    await store().remove(POINTER_KEY);
    await store().remove(publicKey(PUBLIC_PATHS.release));
    await expectRestored(await repair('--pointer', SECOND));
  });

  it('ignores an uncommitted record of the same revision if a later record follows the other', async () => {
    await putOrphan({ hold: 'never published' });
    await putOrphan({
      revision: '2025-02-03.000001',
      sequence: 3,
      previous: { revision: SECOND, sha256: pointer.sha256 },
    });
    await store().remove(POINTER_KEY);
    await removeCopies();
    await expectRestored(await repair('--pointer', SECOND));
  });
});

describe('repair --pointer exits 2 and restores nothing', () => {
  it('for a release that is older than the last committed one', async () => {
    await store().remove(POINTER_KEY);
    await expectRefused(await repair('--pointer', FIRST), 'aliases.json says that sequence 2', SECOND);
    await removeCopies();
    await putOrphan({
      revision: '2025-02-03.000001',
      sequence: 3,
      previous: { revision: SECOND, sha256: pointer.sha256 },
    });
    await expectRefused(await repair('--pointer', FIRST), `follows ${SECOND} (${pointer.sha256})`);
  });

  it('for a release that lost the race with one of the same sequence', async () => {
    const revision = '2025-02-02.000002';
    await putOrphan({ revision, public: {} });
    await store().remove(POINTER_KEY);
    await expectRefused(await repair('--pointer', revision), `belongs to ${SECOND} (sequence 2)`);
  });

  it('for a revision that has no record', async () => {
    await store().remove(POINTER_KEY);
    await expectRefused(await repair('--pointer', '2025-02-09.000001'), 'no sound release record', SECOND);
    await flipBit(store(), releaseKey(SECOND, pointer.sha256));
    await expectRefused(await repair('--pointer', SECOND), `no sound release record ${SECOND}`);
  });

  it('when either of two records may have been committed: it names both, and accepts a digest', async () => {
    const orphan = await putOrphan({ hold: 'never published' });
    await store().remove(POINTER_KEY);
    await removeCopies();
    await expectRefused(
      await repair('--pointer', SECOND),
      `${SECOND}/${orphan}`,
      `${SECOND}/${pointer.sha256}`,
    );
    await expectRestored(await repair('--pointer', `${SECOND}/${pointer.sha256}`));
  });
});

it('repair --pointer verifies the release first, and repairs it with --input', async () => {
  const key = await keyOfPath(store(), bundlePath('gold', 'bitcoin', '30d'));
  await store().remove(POINTER_KEY);
  await store().remove(key);
  const { code, stdout, stderr } = await repair('--pointer', SECOND, '--json');
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 8,
    pointer: 'lost',
    faults: [{ key }],
    remedy: expect.stringContaining('run again with --input DIR'),
  });
  expect(stderr).toContain(`${key}: `);
  expect(await currentPointer()).toBeUndefined();
  await expectRestored(await repair('--pointer', SECOND, '--input', published().input));
});
