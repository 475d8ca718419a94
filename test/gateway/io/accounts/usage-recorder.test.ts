import { createUsageRecorder } from '../../../../gateway/io/accounts/usage-recorder.js';

const NOON = Date.parse('2026-08-20T12:00:00Z');

/** Creates a recorder whose writes and clock the test controls. */
function createScene() {
  const scene = {
    nowMs: NOON,
    begun: [] as string[],
    errors: [] as unknown[],
    open: [] as { readonly done: () => void; readonly fail: (error: Error) => void }[],
    /** Completes all writes, including those that start in the meantime. */
    async finish(): Promise<void> {
      do {
        scene.open.splice(0).forEach(({ done }) => done());
        await settle();
      } while (scene.open.length > 0);
    },
  };
  const recorder = createUsageRecorder({
    now: () => scene.nowMs,
    onError: (error) => scene.errors.push(error),
    write(keyId, date) {
      scene.begun.push(`${keyId} ${date}`);
      return new Promise((done, fail) => scene.open.push({ done, fail }));
    },
  });
  return { scene, recorder };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('the use of a key', () => {
  it('is written once a day, in the background', async () => {
    const { scene, recorder } = createScene();
    for (let i = 0; i < 1000; i += 1) recorder.record('a');
    recorder.record('b');
    expect(scene.begun).toEqual([]);
    await settle();
    await scene.finish();
    recorder.record('a');
    await settle();
    expect(scene.begun).toEqual(['a 2026-08-20', 'b 2026-08-20']);
  });

  it('is written again on the next day, which starts at midnight UTC', async () => {
    const { scene, recorder } = createScene();
    const instants = ['20T00:00:00Z', '20T23:59:59.999Z', '21T00:00:00Z', '21T23:59:59Z', '22T00:00:00.001Z'];
    for (const instant of instants) {
      scene.nowMs = Date.parse(`2026-08-${instant}`);
      recorder.record('a');
      await settle();
      await scene.finish();
    }
    expect(scene.begun).toEqual(['a 2026-08-20', 'a 2026-08-21', 'a 2026-08-22']);
  });

  it('is written for its own day, however late the write starts', async () => {
    const { scene, recorder } = createScene();
    for (const id of ['a', 'b', 'c', 'd', 'e']) recorder.record(id);
    await settle();
    scene.nowMs = Date.parse('2026-08-21T00:00:00Z');
    await scene.finish();
    expect(scene.begun.at(-1)).toBe('e 2026-08-20');
  });

  it('is written together with at most three others', async () => {
    const { scene, recorder } = createScene();
    for (let i = 0; i < 20; i += 1) recorder.record(`k${i}`);
    await settle();
    expect(scene.open).toHaveLength(4);
    scene.open.shift()?.done();
    await settle();
    expect([scene.open.length, scene.begun.length]).toEqual([4, 5]);
    await scene.finish();
    expect(scene.begun).toHaveLength(20);
  });

  it('is lost when its write fails, which is reported and does not affect others', async () => {
    const { scene, recorder } = createScene();
    const fault = new Error('the store is down');
    for (let i = 0; i < 6; i += 1) recorder.record(`k${i}`);
    await settle();
    scene.open.splice(0).forEach(({ fail }) => fail(fault));
    await settle();
    expect(scene.errors).toEqual([fault, fault, fault, fault]);
    await scene.finish();
    expect(scene.begun).toHaveLength(6);
    recorder.record('k0');
    await settle();
    expect(scene.begun).toHaveLength(6);
  });

  it('is lost when ten thousand others are queued, and written when it happens again', async () => {
    const { scene, recorder } = createScene();
    for (let i = 0; i < 10_000; i += 1) recorder.record(`k${i}`);
    recorder.record('late');
    await settle();
    await scene.finish();
    expect(scene.begun).toHaveLength(10_000);
    recorder.record('late');
    await settle();
    await scene.finish();
    expect(scene.begun.at(-1)).toBe('late 2026-08-20');
  });
});

describe('drain', () => {
  it('waits for the queued uses', async () => {
    const { scene, recorder } = createScene();
    for (let i = 0; i < 9; i += 1) recorder.record(`k${i}`);
    const drained = recorder.drain(5_000);
    await scene.finish();
    await drained;
    expect(scene.begun).toHaveLength(9);
  });

  it('returns at once when the queue is empty', async () => {
    const { recorder } = createScene();
    await recorder.drain(5_000);
  });

  it('does not wait longer than its limit for a write that hangs', async () => {
    const { scene, recorder } = createScene();
    recorder.record('a');
    const began = performance.now();
    await recorder.drain(50);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(scene.begun).toEqual(['a 2026-08-20']);
    await scene.finish();
  });

  it('reports a write that fails, and resolves', async () => {
    const { scene, recorder } = createScene();
    recorder.record('a');
    const drained = recorder.drain(5_000);
    scene.open[0]?.fail(new Error('the store is down'));
    await drained;
    expect(scene.errors).toHaveLength(1);
  });
});
