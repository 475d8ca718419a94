import path from 'node:path';
import { bundlePath, FILES_PATH, PUBLIC_PATHS } from '../../schemas/paths.js';
import { createLambdaScene, type LambdaScene } from '../support/aws/lambda-scene.js';
import type { LambdaProcess } from '../support/aws/lambda-process.js';
import { publish } from '../support/release/published-store.js';
import { writeSmallInput } from '../support/release/small-input.js';

const SLOW_MS = 300_000;
const BUNDLE = bundlePath('gold', 'base', '7d');
const SECRET = 'the-secret-of-the-distribution-48';
const PREVIOUS_SECRET = 'the-previous-secret-of-32-letters';

let scene: LambdaScene;
let lambda: LambdaProcess;
beforeAll(async () => {
  scene = await createLambdaScene();
  lambda = await scene.start();
}, SLOW_MS);
afterAll(async () => {
  await lambda.stop();
  await scene.dispose();
}, SLOW_MS);

it('logs every request once before the answer, without query and key', async () => {
  const before = lambda.log().length;
  await lambda.send({ path: BUNDLE, query: 'redirect=false', headers: scene.keyed });
  const lines = lambda.log().slice(before);
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ method: 'GET', status: 200, route: expect.stringContaining(`${FILES_PATH}/`) }),
  ]);
  expect(lines.join()).not.toContain(scene.release.key);
  expect(lines.join()).not.toContain('redirect=false');
});

describe('with secrets of the origin', () => {
  let guarded: LambdaProcess;
  beforeAll(async () => {
    guarded = await scene.start({ CRD_ORIGIN_SECRET: `${SECRET},${PREVIOUS_SECRET}` });
  }, SLOW_MS);
  afterAll(() => guarded.stop());

  it.each([
    ['without a secret', {}],
    ['with another secret', { 'x-origin-secret': `${SECRET}x` }],
    ['with both secrets in one header', { 'x-origin-secret': `${SECRET},${PREVIOUS_SECRET}` }],
  ])('refuses a request %s', async (_name, headers) => {
    const answer = await guarded.send({ path: PUBLIC_PATHS.status, headers });
    expect(answer).toMatchObject({ status: 403, body: '', headers: { 'cache-control': 'no-store' } });
    expect(guarded.log().join()).toContain('without the secret of CRD_ORIGIN_SECRET was refused');
  });

  it.each([SECRET, PREVIOUS_SECRET])('accepts %s and does not log it', async (secret) => {
    const answer = await guarded.send({ path: PUBLIC_PATHS.status, headers: { 'x-origin-secret': secret } });
    expect(answer.status).toBe(200);
    expect(guarded.log().join()).not.toContain(secret);
  });
});

it(
  'answers the first event after a freeze with the release that was published in the meantime',
  async () => {
    const frozen = await scene.start({ CRD_POLL_SECONDS: '2' });
    const readRevision = async (): Promise<unknown> => {
      const { body } = await frozen.send({ path: PUBLIC_PATHS.release });
      return (JSON.parse(body) as { published_revision: string }).published_revision;
    };
    const first = await readRevision();
    frozen.freeze();
    const input = await writeSmallInput(path.join(scene.folder, 'next'), { days: { base: 121 } });
    const store = path.join(scene.folder, 'store');
    const { code, stderr } = await publish(input, store, '2025-05-03T00:00:00Z');
    expect([code, stderr]).toEqual([0, expect.any(String)]); // a failure shows stderr
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    frozen.thaw();
    expect(await readRevision()).not.toBe(first);
    await frozen.stop();
  },
  SLOW_MS,
);

it('does not start with a faulty configuration, and reports every fault', async () => {
  const wrong = scene.start({ CRD_KEY_MODE: 'Live', CRD_POLL_SECONDS: '0' });
  await expect(wrong).rejects.toThrow(/CRD_POLL_SECONDS: expected .*CRD_KEY_MODE: expected /s);
});
