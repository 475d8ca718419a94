import { readFile, rm, writeFile } from 'node:fs/promises';
import { TRUST_FAULTS } from '../../../schemas/trust/trust-error.js';
import type { GeneratorRun } from '../../support/process/generator-run.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { NOW, useKeyRuns } from '../../support/trust/key-runs.js';

const SLOW_MS = 300_000;
const { file, run, keys, init, rotate } = useKeyRuns();
const store = (): string => `file:${file('store')}`;
const KEY_SET = 'store/public/.well-known/chain-reference-data/keys.jws';
const TIMESTAMP = 'store/public/api/v1/timestamp.jws';

beforeEach(async () => {
  const input = await writeSmallInput(file('input'), { days: { base: 3 } });
  await init();
  await keys('install', '--store', store());
  await run(['publish', '--input', input, '--store', store()], NOW, 'one.pem');
}, SLOW_MS);

/** Runs the check of a monitor, for which no chain is late. */
const status = (now = NOW): Promise<GeneratorRun> =>
  run(['status', '--store', store(), '--max-lag-days', '999'], now);

it(
  'status shows how long readers accept the signatures, and when the first key expires',
  async () => {
    expect((await status()).stdout).toContain(
      '\nsigning    timestamp expires 2025-06-03T00:00:00Z, unless a run renews it; keys (version 1) expire 2026-07-06T00:00:00Z\n',
    );
    await rotate('--release-key', file('two.pem'));
    await keys('install', '--store', store());
    expect((await status()).stdout).toContain('keys (version 2) expire 2025-06-08T00:00:00Z\n');
    expect(await status('2025-06-08T00:00:00Z')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(TRUST_FAULTS['key-expired']) as string,
      stdout: expect.stringMatching(/^next .* sign it again with the new key: .* repair --sign /m) as string,
    });
    await rm(file(TIMESTAMP));
    await rm(file(KEY_SET));
    const unsigned = await status();
    expect([unsigned.code, unsigned.stdout]).toEqual([0, expect.stringContaining('\nsigning    no\n')]);
  },
  SLOW_MS,
);

it(
  'status exits 8 for a monitor if readers refuse the release, and says why and what helps',
  async () => {
    const removed = 'does not exist: this site does not sign its releases, or the signatures were removed';
    const cases = [
      { now: '2025-06-03T00:00:00Z', fault: TRUST_FAULTS['timestamp-expired'], remedy: 'publish' },
      { now: '2026-07-06T00:00:00Z', fault: TRUST_FAULTS['keys-expired'], remedy: 'keys install' },
      { remove: TIMESTAMP, fault: TRUST_FAULTS.mixed, remedy: 'publish' },
      { remove: KEY_SET, fault: removed, remedy: 'verify' },
      { damage: KEY_SET, fault: TRUST_FAULTS['jws-malformed'], remedy: 'verify' },
      { damage: TIMESTAMP, fault: TRUST_FAULTS['jws-malformed'], remedy: 'verify' },
    ];
    for (const { now = NOW, remove, damage, fault, remedy } of cases) {
      const changed = file(remove ?? damage ?? KEY_SET);
      const bytes = await readFile(changed);
      if (remove !== undefined) await rm(changed);
      if (damage !== undefined) await writeFile(changed, 'damaged');
      const { code, stderr, stdout } = await status(now);
      expect([code, stderr]).toEqual([8, expect.stringContaining(fault)]);
      const next = `^next {7}readers who verify signatures refuse this release: .* ${remedy} `;
      expect(stdout).toMatch(new RegExp(next, 'm'));
      await writeFile(changed, bytes);
    }
  },
  SLOW_MS,
);
