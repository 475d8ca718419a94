import { generateKeyPairSync } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { NOW, SITE, useKeyRuns } from '../support/trust/key-runs.js';

const { file, run, keys, init, rotate, show } = useKeyRuns();

it('makes keys that only their owner can read, and prints what readers trust', async () => {
  const { code, stdout } = await init();
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^wrote key set version 1 to /)]);
  const { trust, key_set: keySet } = await show();
  expect(trust).toMatch(/^https:\/\/data\.example\.com#[A-Za-z0-9_-]{43}$/);
  expect(stdout).toContain(`trust anchor: ${trust}\n`);
  expect(keySet).toMatchObject({ version: 1, keys: [{ revoked: null }] });
  for (const name of ['root.pem', 'one.pem']) {
    expect((await stat(file(name))).mode & 0o777).toBe(0o600);
    expect(await readFile(file(name), 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  }
});

it('rotates: the new key is valid, the old one for a week', async () => {
  await init();
  expect((await rotate('--release-key', file('two.pem'))).code).toBe(0);
  const { key_set: keySet } = await show();
  expect(keySet).toMatchObject({
    version: 2,
    keys: [{ valid_until: '2025-06-08T00:00:00Z' }, { valid_until: '2026-07-06T00:00:00Z' }],
  });
});

it('revokes a key for a public reason, but not the last one', async () => {
  await init();
  const [first] = (await show()).key_set.keys;
  const revoke = ['--kid', first?.kid ?? '', '--reason', 'a test', '--root-key', file('root.pem')];
  const { code, stderr } = await keys('revoke', ...revoke);
  expect([code, stderr]).toEqual([2, expect.stringContaining('keys rotate --release-key NEW')]);
  await rotate('--release-key', file('two.pem'));
  expect((await keys('revoke', ...revoke)).code).toBe(0);
  expect((await show()).key_set.keys.map(({ revoked }) => revoked)).toEqual([
    { at: NOW, reason: 'a test' },
    null,
  ]);
  expect((await rotate('--release-key', file('one.pem'))).stderr).toContain('was revoked: a test');
});

it.each([
  ['init', init],
  ['rotate', (...options: string[]) => rotate('--release-key', file('two.pem'), ...options)],
])('writes nothing in a dry run of %s', async (command, call) => {
  if (command === 'rotate') await init();
  const before = command === 'rotate' ? await readFile(file('keys.jws'), 'utf8') : undefined;
  const { code, stdout } = await call('--dry-run');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^dry run: would write key set version \d to /)]);
  const after = await readFile(file('keys.jws'), 'utf8').catch(() => undefined);
  expect(after).toBe(before);
  for (const name of command === 'rotate' ? ['two.pem'] : ['one.pem', 'root.pem'])
    await expect(stat(file(name))).rejects.toThrow('ENOENT');
});

it('overwrites no key set, and changes none that another root key has signed', async () => {
  await init();
  expect(await init()).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/keys\.jws exists\..*\n {2}generator keys rotate --help\n$/) as string,
  });
  await run([
    'keys',
    'init',
    '--site',
    SITE,
    '--root-key',
    file('other.pem'),
    '--release-key',
    file('x.pem'),
    '--keys',
    file('x.jws'),
  ]);
  const foreign = await run(['keys', 'rotate', '--root-key', file('other.pem'), '--keys', file('keys.jws')]);
  expect(foreign).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('other.pem is not the root key that signed') as string,
  });
});

it('lists a release key by its public part alone', async () => {
  await init();
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(file('kms.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  expect((await rotate('--release-key', file('kms.pem'))).code).toBe(0);
  expect((await show()).key_set.keys).toHaveLength(2);
});

it('explains a key file that has no key', async () => {
  await writeFile(file('one.pem'), 'no key');
  const { code, stderr } = await init();
  expect([code, stderr]).toEqual([2, expect.stringContaining('Ed25519 or P-256')]);
});
