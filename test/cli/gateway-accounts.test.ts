import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createProgram } from '../../gateway/cli.js';
import { parseApiKey } from '../../gateway/core/access/api-key.js';
import { EXIT_CODES } from '../../gateway/core/exit-codes.js';
import { readBuildInfo } from '../../infra/process/build-info.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import { expectAnotherCommand } from '../support/process/next-command.js';
import { runGateway, type GatewayRun } from '../support/gateway/gateway-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const KEY_LINE = /^crd_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}\n$/;

let folder: TemporaryFolder;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  env = { CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}` };
});
afterEach(() => folder.dispose());

/** Runs a command line. An argument with spaces is in single quotes. */
function run(line: string, now?: string): Promise<GatewayRun> {
  return runGateway(argsOf(line), { env, ...(now === undefined ? {} : { now }) });
}

function argsOf(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

const GRANT = "grant --account acme --until 2026-08-31 --reason 'invoice 118'";
const SINGLE = `${GRANT} --plan single-chain --chain base`;

describe('grant', () => {
  it('grants access through the last second of the last day', async () => {
    expect(await run(SINGLE)).toEqual({
      code: 0,
      stdout: 'acme: Single Chain for base through 2026-08-31\n',
      stderr: 'acme is a new account\n',
    });
    expect((await run(SINGLE)).stderr).toBe('');
    const isActiveAt = async (now: string): Promise<unknown> =>
      JSON.parse((await run('accounts show --account acme --json', now)).stdout).entitlements.active;
    expect(await isActiveAt('2026-08-31T23:59:59Z')).toBe(true);
    expect(await isActiveAt('2026-09-01T00:00:00Z')).toBe(false);
  });

  it('prints one document with --json', async () => {
    const { code, stdout } = await run(`${GRANT} --plan research --json`);
    const document = JSON.parse(stdout);
    expect({ code, document }).toMatchObject({
      code: 0,
      document: {
        outcome: 'granted',
        account: 'acme',
        grant: { plan: 'research', chain: null, until: '2026-09-01T00:00:00Z', reason: 'invoice 118' },
      },
    });
    expect(findSchemaFaults('entitlements', document.entitlements)).toEqual([]);
  });

  it('ends access when the last day is in the past, and warns that no grant is left', async () => {
    await run(SINGLE);
    const past = "grant --account acme --plan single-chain --chain base --until 2026-08-19 --reason 'unpaid'";
    expect(await run(past)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^acme: Single Chain for base ended at 20\d\d-\S+Z\n$/),
      stderr: expect.stringMatching(/within 30 seconds\n[^]*no active grant now/),
    });
    const { outcome } = JSON.parse((await run(`${past} --json`)).stdout);
    expect(outcome).toBe('ended');
    expect(await run(past.replace('base', 'bitcoin'))).toMatchObject({
      code: 5,
      stderr:
        'gateway: The account has no grant of Single Chain for bitcoin to end. To create a grant, use an end in the future.\n' +
        '  gateway accounts show --account acme\n',
    });
  });
});

describe('keys create', () => {
  it('prints only the key on stdout', async () => {
    await run(SINGLE);
    const { code, stdout, stderr } = await run("keys create --account acme --label 'nightly job'");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(KEY_LINE) });
    const id = parseApiKey(stdout.trim(), 'live')?.id ?? '';
    expect(stderr).toBe(`key ${id} of acme: save it now, it cannot be shown again\n`);
  });

  it('warns about an account that can read nothing yet', async () => {
    const { code, stdout, stderr } = await run('keys create --account new');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(KEY_LINE) });
    expect(stderr).toMatch(
      /no active subscription\. The key reads subscriber files only while the account has an active grant \("gateway grant"\) or subscription\.\n$/,
    );
  });

  it('creates keys of the mode in CRD_KEY_MODE', async () => {
    env['CRD_KEY_MODE'] = 'test';
    expect((await run('keys create --account acme')).stdout).toMatch(/^crd_test_/);
  });

  it('refuses a sixth key', async () => {
    for (let n = 0; n < 5; n += 1) await run('keys create --account acme');
    expect(await run('keys create --account acme')).toEqual({
      code: 5,
      stdout: '',
      stderr:
        'gateway: An account can have five active keys. Revoke one before you create another.\n' +
        '  gateway keys list --account acme\n',
    });
  });

  it('stores the secret in no file and shows it in no list', async () => {
    const { key, id } = JSON.parse((await run('keys create --account acme --json')).stdout);
    const secret = (key as string).slice(18);
    const files = await readdir(folder.path, { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      expect(await readFile(path.join(file.parentPath, file.name), 'utf8')).not.toContain(secret);
    }
    for (const line of ['keys list', 'accounts show', `keys revoke --id ${id}`]) {
      const { code, stdout, stderr } = await run(`${line} --account acme --json`);
      expect({ line, code }).toEqual({ line, code: 0 });
      expect(stdout + stderr).toContain(id);
      expect(stdout + stderr).not.toContain(secret);
    }
  });
});

describe('keys list, keys revoke and accounts show', () => {
  it('show a key before and after its revocation', async () => {
    await run(SINGLE);
    const { id } = JSON.parse((await run('keys create --account acme --label laptop --json')).stdout);
    const created = '2026-08-20T12:00:00Z';
    expect((await run('keys list --account acme')).stdout).toBe(
      `key       label   created               last used  revoked\n${id}  laptop  ${created}  -          -\n`,
    );
    const later = '2026-08-21T00:00:00Z';
    expect(await run(`keys revoke --account acme --id ${id}`, later)).toEqual({
      code: 0,
      stdout: `revoked: ${id} at ${later}\n`,
      stderr: expect.stringMatching(
        /within 30 seconds; .*within ten minutes\ndownload URLs .* stay valid until they expire\n$/,
      ),
    });
    expect(JSON.parse((await run('keys list --account acme --json')).stdout)).toEqual({
      account: 'acme',
      keys: [{ id, label: 'laptop', created_at: created, revoked_at: later, last_used: null }],
    });
    expect((await run('accounts show --account acme')).stdout).toBe(
      [
        'account acme',
        '',
        'grant                  state   since                 last day    reason',
        'Single Chain for base  active  2026-08-20T12:00:00Z  2026-08-31  invoice 118',
        '',
        'key       label   created               last used  revoked',
        `${id}  laptop  ${created}  -          ${later}`,
        '',
      ].join('\n'),
    );
  });

  it('show an account without grants, and one without keys', async () => {
    const { id } = JSON.parse((await run('keys create --account acme --json')).stdout);
    expect((await run('accounts show --account acme')).stdout).toContain('\n\nno manual grants\n\n');
    await run(`${GRANT} --plan research`);
    await run(`keys revoke --account acme --id ${id}`);
    await run(`${GRANT.replace('acme', 'other')} --plan research`);
    expect((await run('keys list --account other')).stdout).toBe('no keys\n');
  });
});

describe('a wrong command line fails with an explanation and another command, and writes nothing:', () => {
  it.each<[string, string, number, RegExp]>([
    ['no command', '', 2, /Usage: gateway/],
    ['an incomplete command', 'keys', 2, /Usage: gateway keys/],
    [
      'an unknown command',
      'grnt --account a',
      2,
      /unknown command 'grnt'[^]*Did you mean grant\?\)\n {2}gateway grant --account a\n$/,
    ],
    ['an unknown command of keys', 'keys rotate', 2, /unknown command 'rotate'/],
    ['no account', 'keys list', 2, /required option '--account <id>' not specified[^]*--help/],
    ['no plan', GRANT, 2, /required option '--plan <plan>' not specified/],
    ['an empty account', "keys list --account ''", 2, /Write 1 to 255 bytes of printable text/],
    ['an unknown plan', `${GRANT} --plan pro`, 2, /'pro'.*Plans are single-chain, research/],
    [
      'a misspelled plan',
      `${GRANT} --plan reserch`,
      2,
      /'reserch'.*\n\(Did you mean research\?\)\n {2}gateway grant .* --plan research\n$/,
    ],
    [
      'a missing chain',
      `${GRANT} --plan single-chain`,
      2,
      /needs --chain, one of bitcoin, ethereum, arbitrum, base\.\n {2}gateway grant --help\n$/,
    ],
    [
      'a superfluous chain',
      `${GRANT} --chain base --plan research`,
      2,
      /all chains\. Omit --chain.*\n {2}gateway grant --account acme .* --reason 'invoice 118' --plan research\n$/,
    ],
    ['an unknown chain', `${SINGLE}x`, 2, /'basex'.*Chains are bitcoin, ethereum, arbitrum, base/],
    ['a date that does not exist', SINGLE.replace('08-31', '02-30'), 2, /'2026-02-30'.*Write the last day/],
    [
      'an instant instead of a date',
      SINGLE.replace('08-31', '08-31T00:00:00Z'),
      2,
      /Write the last day of access/,
    ],
    ['the last date of the calendar', SINGLE.replace('2026-08-31', '9999-12-31'), 2, /Write the last day/],
    ['no reason', SINGLE.replace(/ --reason '.*'/, ''), 2, /required option '--reason <text>' not specified/],
    ['a reason on two lines', SINGLE.replace('invoice', 'in\nvoice'), 2, /1 to 200 printable characters/],
    ['a long label', `keys create --account a --label ${'x'.repeat(65)}`, 2, /1 to 64 printable characters/],
    [
      'a bad id',
      'keys revoke --account a --id Example',
      2,
      /the 8 letters and digits that this command shows:\n {2}gateway keys list --account a\n$/,
    ],
    [
      'an unknown account to revoke from',
      'keys revoke --account a --id Example1',
      5,
      /There is no account a in/,
    ],
    ['an unknown account to show', 'accounts show --account a', 5, /There is no account a in file:/],
    ['an unknown account to list', 'keys list --account a', 5, /There is no account a in file:/],
    ['no store address', 'keys list --account a --accounts-store data', 2, /is not a store address/],
  ])('%s', async (_what, line, code, message) => {
    const ended = await run(line);
    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) });
    expect(ended.stderr).not.toMatch(/this is a bug|\n {4}at /);
    expectAnotherCommand('gateway', argsOf(line), ended);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('a complete key instead of its id, without repeating it', async () => {
    const { key } = JSON.parse((await run('keys create --account acme --json')).stdout);
    const { code, stdout, stderr } = await run(`keys revoke --account acme --id ${key} --json`);
    expect({ code, isRepeated: `${stdout}${stderr}`.includes(key as string) }).toEqual({
      code: 2,
      isRepeated: false,
    });
  });

  it('the key of another account', async () => {
    const { id } = JSON.parse((await run('keys create --account acme --json')).stdout);
    await run(`${GRANT.replace('acme', 'other')} --plan research`);
    expect(await run(`keys revoke --account other --id ${id}`)).toMatchObject({
      code: 5,
      stderr: 'gateway: The account has no such key.\n  gateway keys list --account other\n',
    });
  });

  it('and --json prints the explanation as a document', async () => {
    for (const [line, name] of [
      ['keys list --account a --json', 'refused'],
      [`${GRANT} --plan single-chain --json`, 'usage'],
      ['keys list --json', 'usage'],
      [`${GRANT} --plan pro --json`, 'usage'],
    ] as const) {
      const { code, stdout } = await run(line);
      expect(JSON.parse(stdout)).toMatchObject({
        outcome: 'failed',
        error: { name, code, message: expect.stringMatching(/\w/) },
      });
      expect(code).toBe(EXIT_CODES[name].code);
    }
  });
});

describe('the environment', () => {
  it('is checked as a whole: one message lists all faults', async () => {
    env = { CRD_KEY_MODE: 'prod', CRD_S3_PATH_STYLE: 'yes', CRD_ACCOUNTS_STORE: '' };
    expect(await run('keys list --account a')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'gateway: CRD_ACCOUNTS_STORE: required, or use --accounts-store\n' +
        'CRD_KEY_MODE: expected one of live, test\n' +
        'CRD_S3_PATH_STYLE: expected one of true, false\n' +
        '  gateway keys list --help\n',
    });
  });

  it('is overridden by --accounts-store', async () => {
    const other = path.join(folder.path, 'other');
    await run(`keys create --account acme --accounts-store file:${other}`);
    expect(await readdir(folder.path)).toEqual(['other']);
  });
});

describe('a command on an accounts store', () => {
  it('is refused when the store contains releases', async () => {
    await writeFile(path.join(folder.path, 'store.json'), '{"format":3}');
    env['CRD_ACCOUNTS_STORE'] = `file:${folder.path}`;
    expect(await run('keys create --account acme')).toEqual({
      code: 2,
      stdout: '',
      stderr: `gateway: file:${folder.path} contains releases. Use a separate store for accounts.\n  gateway keys create --help\n`,
    });
    expect(await readdir(folder.path)).toEqual(['store.json']);
  });

  it('exits 8 and names the document when one is damaged', async () => {
    await run(SINGLE);
    const accounts = path.join(folder.path, 'accounts', 'accounts');
    const [file = ''] = await readdir(accounts);
    await writeFile(path.join(accounts, file), '{}');
    expect(await run('accounts show --account acme')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(`accounts/${file} is not a valid account`),
    });
  });

  it('exits 7 when the store cannot be written', async () => {
    await writeFile(path.join(folder.path, 'accounts'), 'a file');
    expect(await run(SINGLE)).toMatchObject({
      code: 7,
      stdout: '',
      stderr: expect.stringMatching(/^gateway: /),
    });
  });

  it('exits 130 when the operator interrupts', async () => {
    const stopped = AbortSignal.abort();
    expect(await runGateway(['keys', 'create', '--account', 'acme'], { env, stopped })).toEqual({
      code: 130,
      stdout: '',
      stderr:
        'gateway: interrupted: look at what was changed (gateway accounts show) before you run the command again\n' +
        '  gateway keys list --account acme\n',
    });
  });
});

it('prints its version, and with --json what it was built from', async () => {
  expect(await run('--version')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  });
  const { code, stdout, stderr } = await run('--version --json');
  expect([code, JSON.parse(stdout), stderr]).toEqual([0, readBuildInfo(), '']);
});

it('shows an example and where the exit codes are in the help of each command on one account', async () => {
  const { commands } = createProgram(
    { run: () => Promise.resolve() },
    { print: () => undefined, warn: () => undefined },
  );
  const names = commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((inner) => `${command.name()} ${inner.name()}`),
  );
  const accountCommands = ['grant', 'keys create', 'keys list', 'keys revoke', 'accounts show'];
  expect(names).toEqual(expect.arrayContaining(accountCommands));
  for (const name of accountCommands) {
    const { code, stdout } = await run(`${name} --help`);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(`gateway ${name} --account acme`),
    });
    expect(stdout).toMatch(/--json[^]*Example:\n[^]*\n\nExit codes: gateway --help\n$/);
  }
});
