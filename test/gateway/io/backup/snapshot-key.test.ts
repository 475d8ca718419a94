import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readSnapshotKey } from '../../../../gateway/io/backup/snapshot-key.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

const BYTES = randomBytes(32);
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

async function read(content: string): ReturnType<typeof readSnapshotKey> {
  const file = path.join(folder.path, 'backup.key');
  await writeFile(file, content);
  return readSnapshotKey(file);
}

it('reads the same key from base64, base64url and a JSON Web Key', async () => {
  const forms = [
    BYTES.toString('base64'),
    `${BYTES.toString('base64')}\n`,
    BYTES.toString('base64url'),
    JSON.stringify({ kty: 'oct', k: BYTES.toString('base64url') }),
  ];
  const keys = [];
  for (const form of forms) keys.push(await read(form));
  expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
  expect(keys.map(({ bytes }) => Buffer.from(bytes).equals(BYTES))).toEqual([true, true, true, true]);
  expect(keys[0]?.id).toMatch(/^[\w-]{43}$/);
});

it.each([
  ['an empty file', ''],
  ['31 bytes', randomBytes(31).toString('base64')],
  ['33 bytes', randomBytes(33).toString('base64')],
  ['hexadecimal', randomBytes(32).toString('hex')],
  ['a passphrase', 'correct horse battery staple'],
  ['another kind of JSON Web Key', JSON.stringify({ kty: 'RSA', n: 'secret' })],
  ['half a JSON Web Key', '{"kty":"oct","k":"secr'],
])('refuses %s without repeating it', async (_what, content) => {
  const error = await read(content).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    exit: 'usage',
    message: expect.stringMatching(/does not contain 32 bytes in base64.*openssl rand -base64 32/),
  });
  if (content !== '') expect((error as Error).message).not.toContain(content.slice(0, 12));
});

it('refuses a file that cannot be read', async () => {
  await expect(readSnapshotKey(path.join(folder.path, 'absent'))).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining('cannot be read (ENOENT)'),
  });
});
