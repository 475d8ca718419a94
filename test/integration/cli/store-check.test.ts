import { POINTER_KEY, STORE_CHECK_KEY, STORE_KEY } from '../../../schemas/paths.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { type Manner, SEEN, type SmallS3, startSmallS3 } from '../../support/s3/small-s3.js';

const before = { ...process.env };
const LOSES_SWAPS = SEEN['S3Proxy 4.1.0 (nio2)'];
let folder: TemporaryFolder;
let input: string;
let server: SmallS3 | undefined;

beforeAll(async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
  folder = await createTemporaryFolder();
  input = await writeSmallInput(folder.path, { days: { bitcoin: 5 } });
});
afterEach(() => server?.dispose());
afterAll(async () => {
  process.env = before;
  await folder.dispose();
});

async function start(manner: Manner): Promise<SmallS3> {
  server = await startSmallS3(manner);
  return server;
}

const publish = (address: string, ...words: string[]): Promise<GeneratorRun> =>
  runInProcess(['publish', '--input', input, '--store', address, ...words]);
const keysOf = ({ objects }: SmallS3): string[] =>
  [...objects.keys()].map((key) => key.slice('data/'.length));

it('the first publish to a server that loses writes says so, and writes nothing', async () => {
  const s3 = await start(LOSES_SWAPS);
  const { code, stderr } = await publish(s3.address);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(
      /loses writes without an error when two processes write at once: 8 swaps at once .* or promise with --single-writer/,
    ),
  });
  expect(keysOf(s3)).toEqual([]);
});

it('with a promise it publishes, keeps the verdict, and status repeats it', async () => {
  const s3 = await start(LOSES_SWAPS);
  expect(await publish(s3.address, '--single-writer')).toMatchObject({ code: 0 });
  expect(JSON.parse(String(s3.objects.get(`data/${STORE_CHECK_KEY}`)))).toMatchObject({
    verdict: 'one-writer',
    single_writer: true,
    server: 'small-s3',
  });
  expect(await publish(s3.address)).toMatchObject({ code: 0, stderr: '' }); // promised once
  const status = await runInProcess(['status', '--store', s3.address]);
  expect(status.stdout).toMatch(
    /^writers {4}one only: this server of small-s3 loses writes of two processes at once \(checked 2025-06-01T00:00:00Z\); never run two commands at once$/m,
  );
});

it('a server that ignores conditions can be promised too, and is then not checked again', async () => {
  const s3 = await start({ create: 'ignored', swap: 'ignored' });
  expect(await publish(s3.address, '--single-writer')).toMatchObject({ code: 0 });
  const hold = await runInProcess(['hold', '--reason', 'a test', '--store', s3.address]);
  expect(hold).toMatchObject({ code: 0, stderr: '' });
});

it('a server that claims to create the mark of a store that is there is checked again', async () => {
  const manner: { create?: 'ignored'; swap?: 'ignored' } = {};
  const s3 = await start(manner);
  expect(await publish(s3.address)).toMatchObject({ code: 0 });
  const pointer = s3.objects.get(`data/${POINTER_KEY}`);
  Object.assign(manner, { create: 'ignored', swap: 'ignored' }); // another server took its place
  const run = await runInProcess(['hold', '--reason', 'a test', '--store', s3.address]);
  expect({ code: run.code, stderr: run.stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('a second create overwrites the first: If-None-Match is ignored'),
  });
  expect(s3.objects.get(`data/${POINTER_KEY}`)).toBe(pointer);
  expect(keysOf(s3)).toContain(STORE_KEY);
});

it.each<[string, Manner, number, RegExp]>([
  ['safe', {}, 0, /^safe: any number of processes may write\.$/m],
  [
    'safe with one writer only',
    LOSES_SWAPS,
    2,
    /^safe with one writer only: .* never run two commands at once/m,
  ],
  ['not usable', SEEN['Ceph RGW 16.2.15'], 2, /^not usable: even one process cannot publish/m],
  ['open to strangers', { isPublic: true }, 0, /^Strangers can read objects without a valid link/m],
])('"store check" tells a server that is %s, with what it saw', async (_what, manner, code, verdict) => {
  const s3 = await start(manner);
  const run = await runInProcess(['store', 'check', '--store', s3.address]);
  expect(run).toMatchObject({ code, stdout: expect.stringMatching(verdict) });
  expect(run.stdout).toMatch(/^a swap with an old ETag +fine +is refused$/m);
  expect(run.stdout).toMatch(/^server: small-s3; \d+ requests$/m);
  expect(keysOf(s3)).toEqual([]);
});
