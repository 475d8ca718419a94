import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runGateway, type GatewayRun } from '../support/gateway/gateway-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const SECRET = randomBytes(32).toString('base64');

let folder: TemporaryFolder;
let env: Record<string, string>;
let keyId: string;
let key: string;
const at = (name: string): string => path.join(folder.path, name);
beforeEach(async () => {
  folder = await createTemporaryFolder();
  env = { CRD_ACCOUNTS_STORE: `file:${at('accounts')}` };
  await writeFile(at('backup.key'), `${SECRET}\n`);
  await run("grant --account acme --plan research --until 2026-12-31 --reason 'invoice 118'");
  ({ key, id: keyId } = JSON.parse((await run('keys create --account acme --json')).stdout));
});
afterEach(() => folder.dispose());

/** Runs a command line, in which `@` stands for the folder. An argument with spaces is in single quotes. */
function run(
  line: string,
  options: { readonly now?: string; readonly stopped?: AbortSignal } = {},
): Promise<GatewayRun> {
  const words = line.match(/'[^']*'|\S+/g) ?? [];
  return runGateway(
    words.map((word) => word.replaceAll("'", '').replace(/^@/, `${folder.path}/`)),
    { env, ...options },
  );
}

const EXPORT = 'accounts export --key-file @backup.key --to @a.jwe';
const IMPORT = 'accounts import --key-file @backup.key --from @a.jwe';
const loseStore = (): Promise<void> => rm(at('accounts'), { recursive: true });

/** Returns the documents of the accounts store by path. */
async function readStore(): Promise<Record<string, string>> {
  const entries = await readdir(at('accounts'), { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return Object.fromEntries(files.map((file, i) => [path.relative(folder.path, file), texts[i] ?? '']));
}

describe('accounts export', () => {
  it('writes a file that only its owner can read, and prints what it has', async () => {
    expect(await run(EXPORT)).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^exported to \S+a\.jwe: 1 account, 1 working key, SHA-256 of the content [0-9a-f]{64}\n$/,
      ),
      stderr: '',
    });
    expect((await stat(at('a.jwe'))).mode & 0o777).toBe(0o600);
    expect((await readdir(folder.path)).sort()).toEqual(['a.jwe', 'accounts', 'backup.key']);
  });

  it('prints one document with --json', async () => {
    const { code, stdout } = await run(`${EXPORT} --json`);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        outcome: 'exported',
        file: at('a.jwe'),
        schema: 'accounts-snapshot/1',
        created_at: '2026-08-20T12:00:00Z',
        accounts: 1,
        keys: 1,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        key_id: expect.stringMatching(/^[\w-]{43}$/),
        broken_keys: [],
      },
    ]);
  });

  it('shows no secret in the file or in the output, and nothing of an account in the file', async () => {
    const { stdout, stderr } = await run(`${EXPORT} --json`);
    const whole = stdout + stderr + (await readFile(at('a.jwe'), 'utf8'));
    for (const secret of [SECRET, SECRET.slice(0, 20), key, key.slice(18)])
      expect(whole).not.toContain(secret);
    const [header = '', ...rest] = (await readFile(at('a.jwe'), 'utf8')).split('.');
    const text = [header, ...rest].map((part) => Buffer.from(part, 'base64url').toString('latin1')).join();
    for (const detail of ['acme', keyId, 'invoice 118']) expect(text).not.toContain(detail);
  });

  it('does not replace a file without --force', async () => {
    await run(EXPORT);
    const older = await readFile(at('a.jwe'), 'utf8');
    expect(await run(EXPORT)).toEqual({
      code: 2,
      stdout: '',
      stderr: `gateway: --to: ${at('a.jwe')} exists already. Use another name, or --force to replace it.\n  gateway accounts export --help\n`,
    });
    expect(await readFile(at('a.jwe'), 'utf8')).toBe(older);
    expect(await run(`${EXPORT} --force`)).toMatchObject({ code: 0 });
    expect(await readFile(at('a.jwe'), 'utf8')).not.toBe(older);
    expect(await run(IMPORT)).toMatchObject({ code: 0 });
  });

  it('does not replace its own key, or a file that is not a snapshot, with --force', async () => {
    await writeFile(at('notes.txt'), 'older');
    expect(await run('accounts export --key-file @backup.key --to @backup.key --force')).toEqual({
      code: 2,
      stdout: '',
      stderr: `gateway: --to: ${at('backup.key')} is the file of --key-file. Use another name.\n  gateway accounts export --help\n`,
    });
    expect(await run('accounts export --key-file @backup.key --to @notes.txt --force')).toEqual({
      code: 2,
      stdout: '',
      stderr: `gateway: --to: ${at('notes.txt')} is not an earlier snapshot, so it was not replaced. Use another name.\n  gateway accounts export --help\n`,
    });
    expect([await readFile(at('backup.key'), 'utf8'), await readFile(at('notes.txt'), 'utf8')]).toEqual([
      `${SECRET}\n`,
      'older',
    ]);
  });

  it('exits 8 and writes no file when a document is damaged', async () => {
    const [file = ''] = await readdir(at('accounts/accounts'));
    await writeFile(at(`accounts/accounts/${file}`), '{}');
    expect(await run(EXPORT)).toMatchObject({ code: 8, stderr: expect.stringContaining(`accounts/${file}`) });
    expect((await readdir(folder.path)).sort()).toEqual(['accounts', 'backup.key']);
  });

  it('warns about a key that does not work because its record is missing', async () => {
    await rm(at(`accounts/keys/${keyId}.json`));
    expect(await run(EXPORT)).toMatchObject({
      code: 0,
      stderr: `key ${keyId} has no valid record and does not work. Revoke it.\n`,
    });
  });

  it('leaves no file when it is interrupted', async () => {
    expect(await run(EXPORT, { stopped: AbortSignal.abort() })).toMatchObject({ code: 130 });
    expect((await readdir(folder.path)).sort()).toEqual(['accounts', 'backup.key']);
  });

  it('keeps the last backup, and exits 5, when the store has no accounts any more', async () => {
    await run(EXPORT);
    const before = await readFile(at('a.jwe'), 'utf8');
    await loseStore();
    expect(await run(`${EXPORT} --force`)).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringMatching(
        /accounts has no accounts, so no file was written\. Check --accounts-store/,
      ),
    });
    expect(await readFile(at('a.jwe'), 'utf8')).toBe(before);
  });
});

describe('accounts import', () => {
  it('restores a lost store, and prints what it did', async () => {
    const before = await readStore();
    await run(EXPORT);
    await loseStore();
    expect(await run(IMPORT)).toEqual({
      code: 0,
      stdout: [
        'imported the snapshot of 2026-08-20T12:00:00Z',
        '',
        '          created  merged  kept  revoked  skipped',
        'accounts        1       0     0        -        -',
        'keys            1       -     0        0        0',
        '',
      ].join('\n'),
      stderr: '',
    });
    expect(await readStore()).toEqual(before);
  });

  it('shows with --dry-run what it would do, and writes nothing', async () => {
    await run(EXPORT);
    await loseStore();
    const { stdout } = await run(`${IMPORT} --dry-run --json`);
    expect(await readStore()).toEqual({});
    const done = JSON.parse((await run(`${IMPORT} --json`)).stdout);
    expect(JSON.parse(stdout)).toEqual({ ...done, outcome: 'would-import' });
    expect(done).toMatchObject({
      outcome: 'imported',
      snapshot: { created_at: '2026-08-20T12:00:00Z', accounts: 1, keys: 1 },
      accounts: { created: 1, merged: 0, kept: 0 },
      keys: { created: 1, kept: 0, revoked: 0, skipped: 0 },
      revoked: [],
      skipped: [],
      broken: [],
    });
    await run(`keys revoke --account acme --id ${keyId}`);
    const before = await readStore();
    expect(await run(`${IMPORT} --dry-run`)).toMatchObject({ code: 0 });
    expect(await readStore()).toEqual(before);
  });

  it('lists the keys that it revoked', async () => {
    await run(EXPORT);
    await loseStore();
    expect((await run(`${IMPORT} --revoke-keys`)).stdout).toContain(
      `\n\nkey      id        account\nrevoked  ${keyId}  acme\n`,
    );
    expect((await run('keys list --account acme')).stdout).toMatch(/2026-08-20T12:00:00Z\n$/);
  });

  it('warns with --revoke-keys about keys that stay active, because their accounts exist', async () => {
    await run(EXPORT);
    await loseStore();
    expect(await run(IMPORT)).toMatchObject({ code: 0, stderr: '' });
    for (const line of [`${IMPORT} --revoke-keys --dry-run`, `${IMPORT} --revoke-keys`]) {
      expect(await run(line)).toEqual({
        code: 0,
        stdout: expect.stringMatching(`\n\nkey     id        account\nactive  ${keyId}  acme\n$`),
        stderr:
          '--revoke-keys does not revoke keys of accounts that exist. Keys of the snapshot that stay active in these accounts: 1. Revoke each with: gateway keys revoke --account A --id ID\n',
      });
    }
    const listActive = async (): Promise<unknown> =>
      JSON.parse((await run(`${IMPORT} --revoke-keys --json`)).stdout).active;
    expect(await listActive()).toEqual([{ account: 'acme', id: keyId }]);
    await run(`keys revoke --account acme --id ${keyId}`);
    expect(await listActive()).toEqual([]);
    expect(await run(`${IMPORT} --revoke-keys`)).toMatchObject({ code: 0, stderr: '' });
  });

  it('warns about a key that does not work because its record is missing', async () => {
    await run(EXPORT);
    await rm(at(`accounts/keys/${keyId}.json`));
    const before = await readStore();
    for (const line of [`${IMPORT} --dry-run --json`, `${IMPORT} --json`]) {
      const { code, stdout, stderr } = await run(line);
      expect([code, JSON.parse(stdout).broken]).toEqual([0, [{ account: 'acme', id: keyId }]]);
      expect(stderr).toBe(`key ${keyId} of the account acme has no record and does not work. Revoke it.\n`);
    }
    expect(await readStore()).toEqual(before);
  });

  it('is complete after an interruption and another run', async () => {
    const before = await readStore();
    await run(EXPORT);
    await loseStore();
    expect(await run(IMPORT, { stopped: AbortSignal.abort() })).toMatchObject({ code: 130 });
    expect(await run(IMPORT)).toMatchObject({ code: 0 });
    expect(await readStore()).toEqual(before);
  });

  it('refuses a snapshot of another key, a cut one, a changed one and other files, and writes nothing', async () => {
    await run(EXPORT);
    await loseStore();
    const text = await readFile(at('a.jwe'), 'utf8');
    const middle = Math.floor(text.length / 2);
    await writeFile(at('cut.jwe'), text.slice(0, -1));
    await writeFile(
      at('changed.jwe'),
      `${text.slice(0, middle)}${text[middle] === 'A' ? 'B' : 'A'}${text.slice(middle + 1)}`,
    );
    await writeFile(at('other.key'), randomBytes(32).toString('base64'));
    await writeFile(at('bad.key'), 'a passphrase');
    await mkdir(at('folder'));
    const cases: [string, number, RegExp][] = [
      [
        IMPORT.replace('backup.key', 'other.key'),
        2,
        /a\.jwe was encrypted with the key \S+, and --key-file has/,
      ],
      [
        IMPORT.replace('backup.key', 'bad.key'),
        2,
        /--key-file \S+bad\.key does not contain 32 bytes.*openssl/,
      ],
      [IMPORT.replace('backup.key', 'absent'), 2, /--key-file \S+absent cannot be read \(ENOENT\)/],
      [
        IMPORT.replace('a.jwe', 'cut.jwe'),
        8,
        /cut\.jwe was cut or changed after the export\. Nothing was written/,
      ],
      [
        IMPORT.replace('a.jwe', 'changed.jwe'),
        8,
        /changed\.jwe was cut or changed after the export\. .*Use another/,
      ],
      [IMPORT.replace('a.jwe', 'backup.key'), 8, /backup\.key is not a snapshot of accounts/],
      [IMPORT.replace('a.jwe', 'absent'), 2, /--from \S+absent cannot be read \(ENOENT\)/],
      [IMPORT.replace('a.jwe', 'folder'), 2, /--from \S+folder cannot be read \(EISDIR\)/],
      [IMPORT.replace(/ --from \S+/, ''), 2, /required option '--from <file>'/],
      [EXPORT.replace(/ --key-file \S+/, ''), 2, /required option '--key-file <file>'/],
      [EXPORT.replace('@a.jwe', '@absent/a.jwe'), 2, /absent does not exist\. Create it/],
    ];
    for (const [line, code, message] of cases) {
      const ended = await run(line);
      expect([line, ended]).toEqual([line, { code, stdout: '', stderr: expect.stringMatching(message) }]);
      expect(ended.stderr).not.toMatch(/this is a bug|\n {4}at |a passphrase/);
    }
    expect(await readStore()).toEqual({});
  });

  it('exits 7 when the store cannot be written, and completes when it can', async () => {
    await run(EXPORT);
    await rename(at('accounts'), at('lost'));
    await writeFile(at('accounts'), 'a file');
    expect(await run(IMPORT)).toMatchObject({ code: 7, stdout: '' });
    await rm(at('accounts'));
    expect(await run(IMPORT)).toMatchObject({ code: 0 });
  });
});

it.each(['export', 'import'])(
  'shows an example and where the exit codes are in the help of accounts %s',
  async (name) => {
    const { code, stdout } = await run(`accounts ${name} --help`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /--json[^]*Example:\n {2}gateway accounts (ex|im)port [^]*\n\nExit codes: gateway --help\n$/,
    );
  },
);
