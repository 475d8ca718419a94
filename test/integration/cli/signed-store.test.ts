import { readFile, rm, writeFile } from 'node:fs/promises';
import { TRUST_FAULTS } from '../../../schemas/trust/trust-error.js';
import type { GeneratorRun } from '../../support/process/generator-run.js';
import { publish } from '../../support/release/published-store.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { NOW, SITE, useKeyRuns } from '../../support/trust/key-runs.js';

const SLOW_MS = 300_000;
const { file, run, keys, init, rotate, show } = useKeyRuns();
const store = (): string => `file:${file('store')}`;

let input: string;
beforeEach(async () => {
  input = await writeSmallInput(file('input'), { days: { base: 3 } });
  await init();
});
const install = (...options: string[]): Promise<GeneratorRun> =>
  keys('install', '--store', store(), ...options);
const publishAs = (key?: string, ...options: string[]): Promise<GeneratorRun> =>
  run(['publish', '--input', input, '--store', store(), ...options], NOW, key);
const verify = (trust: string, now = NOW): Promise<GeneratorRun> =>
  run(['verify', '--store', store(), '--trust', trust], now);

it(
  'is signed from the installation on, and verifies with the trust anchor',
  async () => {
    expect((await install()).code).toBe(0);
    expect(await publishAs('one.pem')).toMatchObject({ code: 0 });
    const { trust } = await show();
    expect(await verify(trust)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        `signatures: valid for ${SITE}, up to the root key that you trust. Key set version 1, 1 signed release. The timestamp is valid until `,
      ) as string,
    });
    const { stdout } = await run(['verify', '--store', store()]);
    expect(stdout).toContain(
      'but the root key was not checked; pass --trust to check it. Key set version 1,',
    );
    const other = `${SITE}#${'A'.repeat(43)}`;
    expect(await verify(other)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(TRUST_FAULTS['root-untrusted']) as string,
    });
  },
  SLOW_MS,
);

it(
  'is false for a reader if a file is missing by which readers verify it; for the operator of one release it lags',
  async () => {
    await install();
    await publishAs('one.pem');
    const { trust } = await show();
    const names = ['api/v1/release.jws', 'api/v1/timestamp.jws', 'api/v1/releases.json'];
    for (const name of names) await rm(file(`store/public/${name}`));
    const { code, stderr } = await verify(trust);
    expect(code).toBe(8);
    for (const name of names) expect(stderr).toContain(`public/${name}: ${TRUST_FAULTS['release-unsigned']}`);
    expect(await run(['verify', '--store', store()])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the public copies lag (3 keys') as string,
    });
  },
  SLOW_MS,
);

it(
  'publishes nothing without the key, with another key, or with a key but no key set',
  async () => {
    expect(await publishAs('one.pem')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('generator keys install') as string,
    });
    await install();
    expect(await publishAs()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set CRD_SIGNING_KEY_FILE') as string,
    });
    await rotate('--release-key', file('two.pem')); // not installed
    expect(await publishAs('two.pem')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not list the release key') as string,
    });
  },
  SLOW_MS,
);

it(
  'signs nothing under another key set than the one that the environment trusts',
  async () => {
    await install();
    const { trust } = await show();
    const publishTrusting = (anchor: string): Promise<GeneratorRun> =>
      run(['publish', '--input', input, '--store', store()], NOW, 'one.pem', anchor);
    expect((await publishTrusting(trust)).code).toBe(0);
    expect(await publishTrusting(`${SITE}#${'A'.repeat(43)}`)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(TRUST_FAULTS['root-untrusted']) as string,
    });
    expect(await publishTrusting(SITE)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('CRD_SIGNING_TRUST is not a trust anchor') as string,
    });
    await rm(file('store/public/.well-known'), { recursive: true });
    expect(await publishTrusting(trust)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no key set') as string,
    });
  },
  SLOW_MS,
);

it(
  'refuses a key set that the current release would make false, and says which sequence is right',
  async () => {
    expect((await publishAs()).code).toBe(0); // after the key set was made for the first release
    const { code, stderr } = await install();
    expect([code, stderr]).toEqual([2, expect.stringContaining('--from-sequence 2')]);
    expect((await publishAs()).code).toBe(0); // nothing was installed
  },
  SLOW_MS,
);

it(
  'takes only a later key set of the same site and root key',
  async () => {
    await install();
    expect(await install()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^unchanged/) as string });
    const first = await readFile(file('keys.jws'));
    await rotate();
    expect((await install('--dry-run')).stdout).toMatch(/^dry run: would install key set version 2 in file:/);
    expect((await install()).stdout).toMatch(/^installed key set version 2 in file:/);
    await writeFile(file('keys.jws'), first);
    expect(await install()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it has version 1, but the store has version 2') as string,
    });
  },
  SLOW_MS,
);

it(
  'signs the current release again after its key was revoked and an operator has checked it',
  async () => {
    await install();
    await publishAs('one.pem');
    const { trust, key_set: keySet } = await show();
    await rotate('--release-key', file('two.pem'));
    await keys(
      ...([
        'revoke',
        '--kid',
        keySet.keys[0]?.kid ?? '',
        '--reason',
        'a test',
        '--root-key',
        file('root.pem'),
      ] as const),
    );
    const { stdout: installed } = await install();
    expect(installed).toMatch(/check that the release is yours, .* generator repair --sign --store /);
    expect(installed).not.toContain('publish');
    expect(await verify(trust)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(TRUST_FAULTS['key-revoked']) as string,
    });
    expect(await publishAs('one.pem')).toMatchObject({ code: 2 });
    expect(await publishAs('two.pem')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('generator repair --sign') as string,
    });
    const status = await run(['status', '--store', store()]);
    expect(status.stdout).toMatch(
      /^next {7}readers .*: its key was revoked or has expired; .* repair --sign /m,
    );
    const repaired = await run(['repair', '--sign', '--store', store()], NOW, 'two.pem');
    expect(repaired).toMatchObject({ code: 0 });
    expect(await publishAs('two.pem')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^unchanged/) as string,
    });
    expect(await verify(trust)).toMatchObject({ code: 0 });
  },
  SLOW_MS,
);

it(
  'renews the timestamp in runs that are held or refused',
  async () => {
    await install();
    await publishAs('one.pem');
    const { trust } = await show();
    const later = '2025-06-02T12:00:00Z';
    const end = '2025-06-04T00:00:00Z';
    expect(await verify(trust, end)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(TRUST_FAULTS['timestamp-expired']) as string,
    });
    await run(['hold', '--reason', 'a test', '--store', store()], NOW, 'one.pem');
    const held = await run(['publish', '--input', input, '--store', store()], later, 'one.pem');
    expect(held.code).toBe(9);
    expect(await verify(trust, end)).toMatchObject({ code: 0 });
    await run(['unhold', '--store', store()], later, 'one.pem');
    await writeSmallInput(input, { days: { base: 3 }, revised: '2025-01-02' });
    const refused = await run(
      ['publish', '--input', input, '--store', store()],
      '2025-06-05T00:00:00Z',
      'one.pem',
    );
    expect(refused.code).toBe(5);
    expect(await verify(trust, '2025-06-06T12:00:00Z')).toMatchObject({ code: 0 });
  },
  SLOW_MS,
);

it(
  'warns before a key expires',
  async () => {
    await install();
    const { stderr } = await run(
      ['publish', '--input', input, '--store', store()],
      '2026-06-26T00:00:00Z',
      'one.pem',
    );
    expect(stderr).toMatch(/The release key \S+ expires in 10 days, on 2026-07-06T00:00:00Z/);
  },
  SLOW_MS,
);

it(
  'works without signatures as before, and verification says so',
  async () => {
    expect(await publish(input, file('store'), NOW)).toMatchObject({ code: 0 });
    const { stdout } = await run(['verify', '--store', store()]);
    expect(stdout).toContain('signatures: none. Nothing proves who published this.');
    const { trust } = await show();
    expect(await verify(trust)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('the releases of this store are not signed') as string,
    });
  },
  SLOW_MS,
);
