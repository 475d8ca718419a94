import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeWheel } from '../../../generator/core/artifacts/python-wheel.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { wheelPath } from '../../../schemas/paths.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { prepareServedRelease, type ServedRelease } from '../../support/gateway/served-release.js';
import { CLIENT_SOURCES, installClients } from '../../support/clients/python-clients.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;
const PYTEST_MS = 600_000;

const CLIENT = path.dirname(CLIENT_SOURCES);
const SETTINGS = path.join(CLIENT, 'pyproject.toml');
const TESTS = path.join(import.meta.dirname, '../../python/crd');
const LIVE_TESTS = path.join(TESTS, 'live');

let python: string;
let folder: TemporaryFolder;
beforeAll(async () => {
  python = installClients();
  folder = await createTemporaryFolder();
}, INSTALL_MS);
afterAll(() => folder.dispose());

/** Runs a module of Python in a folder outside the repository. @throws Error with its output if it fails. */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = python,
): Promise<string> {
  const own = { PATH: process.env['PATH'] ?? '', HOME: folder.path, PYTHONDONTWRITEBYTECODE: '1' };
  const line = ['-m', ...args];
  const ran = await runProgram(program, line, { ...own, PYTHONPATH: CLIENT_SOURCES, ...env }, folder.path);
  return assertSuccess({ ...ran, stderr: ran.stderr + ran.stdout }, line.join(' ')).stdout;
}

describe('the Python client', () => {
  it(
    'is typed for mypy --strict',
    () => run(['mypy', '--config-file', SETTINGS, CLIENT_SOURCES, TESTS]),
    SLOW_MS,
  );

  it('passes ruff', async () => {
    const options = ['--no-cache', '--config', SETTINGS];
    await run(['ruff', 'check', ...options, CLIENT_SOURCES, TESTS]);
    await run(['ruff', 'format', '--check', ...options, CLIENT_SOURCES, TESTS]);
  });

  it(
    'passes its own tests against made-up files',
    () => run(['pytest', '-q', '-c', SETTINGS, '--ignore', LIVE_TESTS, TESTS]),
    PYTEST_MS,
  );

  describe('against a running gateway', () => {
    let release: ServedRelease;
    let gateway: GatewayProcess;
    beforeAll(async () => {
      const inFolder = (name: string): string => path.join(folder.path, name);
      release = await prepareServedRelease({
        store: `file:${inFolder('store')}`,
        accounts: `file:${inFolder('accounts')}`,
        folder: inFolder('input'),
      });
      gateway = await startGatewayProcess(release.env);
    }, SLOW_MS);
    afterAll(() => gateway.stop());

    it(
      'reads, mirrors and recomputes a release, in any time zone',
      async () => {
        const env = { CRD_BASE_URL: gateway.url, CRD_API_KEY: release.key, TZ: 'Pacific/Kiritimati' };
        await run(['pytest', '-q', '-c', SETTINGS, LIVE_TESTS], env);
      },
      SLOW_MS,
    );

    it(
      'is installed from the release by pip, and then reads the service that it came from',
      async () => {
        const venv = path.join(folder.path, 'venv');
        await run(['venv', venv]);
        const fresh = path.join(venv, 'bin', 'python');
        const { name } = makeWheel((await readProductTexts()).python);
        const wheel = gateway.url + wheelPath(name);
        await run(['pip', 'install', '--quiet', '--no-deps', wheel], {}, fresh);
        // the packages that it needs are those of the tests, so that nothing else is downloaded
        const [version = ''] = await readdir(path.join(venv, 'lib'));
        const packages = (root: string): string => path.join(root, 'lib', version, 'site-packages');
        await writeFile(path.join(packages(venv), 'tests.pth'), packages(path.join(python, '../..')));
        const program = 'import crd\nframe = crd.calendar("base")\nprint(len(frame), crd.__version__)';
        const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path };
        const ran = await runProgram(fresh, ['-c', program], env, folder.path);
        expect(ran).toEqual({ code: 0, stdout: `119 ${name.split('-')[1] ?? ''}\n`, stderr: '' });
        const command = await runProgram(
          path.join(venv, 'bin', 'crd'),
          ['calendar', 'base'],
          env,
          folder.path,
        );
        expect(command).toMatchObject({ code: 0, stdout: expect.stringContaining('2025-04-29,base,') });
      },
      SLOW_MS,
    );
  });
});
