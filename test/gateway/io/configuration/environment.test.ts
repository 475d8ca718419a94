import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfiguration, readEnvironment } from '../../../../gateway/io/configuration/environment.js';
import { DIRECTORY, SECRET } from '../../../support/gateway/environments.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

async function fileWith(text: string | Uint8Array): Promise<string> {
  const file = path.join(folder.path, 'secret');
  await writeFile(file, text);
  return file;
}

describe('a secret in a file', () => {
  it.each([
    ['as it is', SECRET, [SECRET]],
    ['with a newline at its end', `${SECRET}\n`, [SECRET]],
    ['with a newline of Windows', `${SECRET}\r\n`, [SECRET]],
    ['with the next secret on a separate line', `${SECRET}\n${SECRET}2\n`, [SECRET, `${SECRET}2`]],
  ])('is read %s', async (_what, text, linkSecrets) => {
    const result = await readConfiguration({ ...DIRECTORY, CRD_LINK_SECRET_FILE: await fileWith(text) });
    expect(result).toMatchObject({ configuration: { linkSecrets } });
  });

  it('replaces both variables by its text', async () => {
    const { env, faults } = await readEnvironment({ A: 'b', CRD_LINK_SECRET_FILE: await fileWith(SECRET) });
    expect({ env, faults }).toEqual({ env: { A: 'b', CRD_LINK_SECRET: SECRET }, faults: [] });
  });

  it('can be combined with an empty variable; an empty file name is ignored', async () => {
    const file = await fileWith(SECRET);
    for (const env of [
      { CRD_LINK_SECRET: '', CRD_LINK_SECRET_FILE: file },
      { CRD_LINK_SECRET: SECRET, CRD_LINK_SECRET_FILE: '' },
    ]) {
      const result = await readConfiguration({ ...DIRECTORY, ...env });
      expect(result).toMatchObject({ configuration: { linkSecrets: [SECRET] } });
    }
  });

  it('cannot be combined with its variable', async () => {
    const env = { ...DIRECTORY, CRD_LINK_SECRET: SECRET, CRD_LINK_SECRET_FILE: await fileWith(SECRET) };
    expect(await readConfiguration(env)).toEqual({
      faults: ['CRD_LINK_SECRET: expected either CRD_LINK_SECRET or CRD_LINK_SECRET_FILE, not both'],
    });
  });

  it('causes a fault with variable and path when it cannot be read, along with all other faults', async () => {
    const file = path.join(folder.path, 'absent');
    const env = { ...DIRECTORY, CRD_LINK_SECRET_FILE: file, CRD_PORT: 'http', CRD_TYPO: '1' };
    expect(await readConfiguration(env)).toEqual({
      faults: [
        `CRD_LINK_SECRET: CRD_LINK_SECRET_FILE names ${file}, which cannot be read (ENOENT)`,
        'CRD_PORT: expected a whole number from 0 to 65535',
        'CRD_TYPO: unknown variable. Correct its name or unset it.',
      ],
    });
  });

  it.each<[string, string | Uint8Array, string]>([
    ['empty', '\n', 'is empty'],
    ['no text', Buffer.alloc(32, 0xff), 'is not UTF-8 text'],
  ])('causes a fault when it is %s', async (_what, text, fault) => {
    const file = await fileWith(text);
    const { faults } = await readEnvironment({ CRD_LINK_SECRET_FILE: file });
    expect(faults).toEqual([`CRD_LINK_SECRET: CRD_LINK_SECRET_FILE names ${file}, which ${fault}`]);
  });

  it('causes a fault when it is a folder', async () => {
    await mkdir(path.join(folder.path, 'folder'));
    const { faults } = await readEnvironment({ CRD_LINK_SECRET_FILE: path.join(folder.path, 'folder') });
    expect(faults).toEqual([expect.stringMatching(/cannot be read \(EISDIR\)$/)]);
  });

  it('is not quoted when it is not a valid secret', async () => {
    const result = await readConfiguration({ ...DIRECTORY, CRD_LINK_SECRET_FILE: await fileWith('hunter2') });
    expect(result).toEqual({ faults: [expect.stringMatching(/^CRD_LINK_SECRET: expected one secret/)] });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});

it('compares a relative path with an absolute one', async () => {
  const env = {
    CRD_STORE: 'file:data',
    CRD_ACCOUNTS_STORE: `file:${path.resolve('data/accounts')}`,
    CRD_LINK_SECRET: SECRET,
  };
  expect(await readConfiguration(env)).toEqual({
    faults: [expect.stringMatching(/^CRD_ACCOUNTS_STORE: expected a different location than CRD_STORE/)],
  });
});

it('resolves file paths, and does not change other addresses and secrets', async () => {
  const secret = `file:${SECRET}`;
  const env = {
    CRD_STORE: 's3://bucket/data',
    CRD_ACCOUNTS_STORE: 'file:accounts',
    CRD_JWKS: 'file:keys.json',
    CRD_LINK_SECRET: secret,
    HOME: 'file:home',
  };
  expect((await readEnvironment(env)).env).toMatchObject({
    CRD_STORE: 's3://bucket/data',
    CRD_ACCOUNTS_STORE: `file:${path.resolve('accounts')}`,
    CRD_JWKS: `file:${path.resolve('keys.json')}`,
    CRD_LINK_SECRET: secret,
    HOME: 'file:home',
  });
});
