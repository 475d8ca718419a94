import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openApiDocument } from '../../../schemas/openapi.js';
import { bundlePath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { installLocked } from '../../../scripts/python/install-locked.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { digestOf, prepareServedRelease, type ServedRelease } from '../../support/gateway/served-release.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const SLOW_MS = 300_000;
const PROGRAMS = path.join(import.meta.dirname, '../../python/generated');

let python: string;
let folder: TemporaryFolder;
let release: ServedRelease;
let gateway: GatewayProcess;
beforeAll(async () => {
  python = installLocked({
    what: 'a generator of clients',
    requirements: path.join(PROGRAMS, 'requirements.txt'),
    folder: path.join(import.meta.dirname, '../../../.python/generated'),
  });
  folder = await createTemporaryFolder();
  const inFolder = (name: string): string => path.join(folder.path, name);
  release = await prepareServedRelease({
    store: `file:${inFolder('store')}`,
    accounts: `file:${inFolder('accounts')}`,
    folder: inFolder('input'),
  });
  gateway = await startGatewayProcess(release.env);
}, SLOW_MS);
afterAll(async () => {
  await gateway.stop();
  await folder.dispose();
});

/** Runs Python beside the generated client. @throws Error with its output if it fails. */
async function run(args: readonly string[]): Promise<string> {
  const env = { PATH: `${path.dirname(python)}:${process.env['PATH'] ?? ''}`, HOME: folder.path };
  const own = { ...env, PYTHONPATH: path.join(folder.path, 'client'), PYTHONDONTWRITEBYTECODE: '1' };
  const ran = await runProgram(python, args, own, folder.path);
  return assertSuccess({ ...ran, stderr: ran.stderr + ran.stdout }, args.join(' ')).stdout;
}

it(
  'generates a Python client from the served description, which is well typed and reads the service',
  async () => {
    const url = gateway.url + PUBLIC_PATHS.openapi;
    await run(['-m', 'openapi_python_client', 'generate', '--url', url, '--output-path', 'client']);
    const program = path.join(PROGRAMS, 'calls.py');
    await run(['-m', 'mypy', '--strict', program]);
    const latest = await digestOf(release, bundlePath('gold', 'base', 'latest'));
    expect((await run([program, gateway.url, release.key])).trim().split('\n')).toEqual([
      `status ${release.record.revision}`,
      'columns feature-schema/1 https://datapackage.org/profiles/2.0/tableschema.json',
      'plan research',
      `latest ${latest}`,
    ]);
  },
  SLOW_MS,
);

/** Returns every valid example of a schema of the description, with the name of the schema. */
function validExamples(names: readonly string[]): [string, unknown][] {
  const root = path.join(import.meta.dirname, '../../../schemas/examples/valid');
  return readdirSync(root)
    .filter((name) => names.includes(name))
    .flatMap((name) =>
      readdirSync(path.join(root, name)).map((file): [string, unknown] => [
        name,
        JSON.parse(readFileSync(path.join(root, name, file), 'utf8')),
      ]),
    );
}

it('describes documents so that jsonschema for Python accepts the schemas and every example', async () => {
  const { components } = openApiDocument() as unknown as { components: { schemas: Record<string, object> } };
  const { schemas } = components;
  const examples = validExamples(Object.keys(schemas));
  expect(examples.length).toBeGreaterThan(30);
  const status = await (await fetch(gateway.url + PUBLIC_PATHS.status)).json();
  const judge = async (name: string, document: object): Promise<string> => {
    const file = path.join(folder.path, name);
    await writeFile(file, JSON.stringify(document));
    return run([path.join(PROGRAMS, 'check_schemas.py'), file]);
  };
  expect(await judge('valid.json', { schemas, examples: [...examples, ['status', status]] })).toBe('');
  const wrong = { schemas: { ...schemas, wrong: { type: 'text' } }, examples: [['status', {}]] };
  expect(await judge('wrong.json', wrong)).toMatch(/^wrong .*\nstatus \$ /); // faults would be found
});
