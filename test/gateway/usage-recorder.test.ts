import { createUsageRecorder } from '../../gateway/io/usage-recorder.js';

const NOON = Date.parse('2026-08-20T12:00:00Z');

/** A recorder whose writes end when the test says so, with a clock in its hands. */
function createScene() {
  const scene = {
    nowMs: NOON,
    begun: [] as string[],
    errors: [] as unknown[],
    open: [] as { readonly done: () => void; readonly fail: (error: Error) => void }[],
    /** Ends all writes, also those that begin meanwhile. */
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
    record(keyId, date) {
      scene.begun.push(`${keyId} ${date}`);
      return new Promise((done, fail) => scene.open.push({ done, fail }));
    },
  });
  return { scene, recorder };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('the use of a key', () => {
  it('is put down once a day, off the path of the request', async () => {
    const { scene, recorder } = createScene();
    for (let i = 0; i < 1000; i += 1) recorder.note('a');
    recorder.note('b');
    expect(scene.begun).toEqual([]);
    await settle();
    await scene.finish();
    recorder.note('a');
    await settle();
    expect(scene.begun).toEqual(['a 2026-08-20', 'b 2026-08-20']);
  });

  it('is put down again on the next day, which begins at midnight UTC', async () => {
    const { scene, recorder } = createScene();
    const instants = ['20T00:00:00Z', '20T23:59:59.999Z', '21T00:00:00Z', '21T23:59:59Z', '22T00:00:00.001Z'];
    for (const instant of instants) {
      scene.nowMs = Date.parse(`2026-08-${instant}`);
      recorder.note('a');
      await settle();
      await scene.finish();
    }
    expect(scene.begun).toEqual(['a 2026-08-20', 'a 2026-08-21', 'a 2026-08-22']);
  });

  it('is put down for the day that it was made on, however late the write begins', async () => {
    const { scene, recorder } = createScene();
    for (const id of ['a', 'b', 'c', 'd', 'e']) recorder.note(id);
    await settle();
    scene.nowMs = Date.parse('2026-08-21T00:00:00Z');
    await scene.finish();
    expect(scene.begun.at(-1)).toBe('e 2026-08-20');
  });

  it('is written a few at a time', async () => {
    const { scene, recorder } = createScene();
    for (let i = 0; i < 20; i += 1) recorder.note(`k${i}`);
    await settle();
    expect(scene.open).toHaveLength(4);
    scene.open.shift()?.done();
    await settle();
    expect([scene.open.length, scene.begun.length]).toEqual([4, 5]);
    await scene.finish();
    expect(scene.begun).toHaveLength(20);
  });

  it('is lost when its write fails, which is told, and does not keep the others', async () => {
    const { scene, recorder } = createScene();
    const fault = new Error('the store is down');
    for (let i = 0; i < 6; i += 1) recorder.note(`k${i}`);
    await settle();
    scene.open.splice(0).forEach(({ fail }) => fail(fault));
    await settle();
    expect(scene.errors).toEqual([fault, fault, fault, fault]);
    await scene.finish();
    expect(scene.begun).toHaveLength(6);
    recorder.note('k0');
    await settle();
    expect(scene.begun).toHaveLength(6);
  });

  it('is lost when ten thousand others wait, and put down when it happens again', async () => {
    const { scene, recorder } = createScene();
    for (let i = 0; i < 10_000; i += 1) recorder.note(`k${i}`);
    recorder.note('late');
    await settle();
    await scene.finish();
    expect(scene.begun).toHaveLength(10_000);
    recorder.note('late');
    await settle();
    await scene.finish();
    expect(scene.begun.at(-1)).toBe('late 2026-08-20');
  });
});

describe('at the end', () => {
  it('what was noted a moment ago is still written', async () => {
    const { scene, recorder } = createScene();
    for (let i = 0; i < 9; i += 1) recorder.note(`k${i}`);
    const drained = recorder.drain(5_000);
    await scene.finish();
    await drained;
    expect(scene.begun).toHaveLength(9);
  });

  it('nothing is waited for when there is nothing', async () => {
    const { recorder } = createScene();
    await recorder.drain(5_000);
  });

  it('a write that hangs is waited for no longer than is said', async () => {
    const { scene, recorder } = createScene();
    recorder.note('a');
    const began = performance.now();
    await recorder.drain(50);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(scene.begun).toEqual(['a 2026-08-20']);
    await scene.finish();
  });

  it('a write that fails is told, and does not make the end fail', async () => {
    const { scene, recorder } = createScene();
    recorder.note('a');
    const drained = recorder.drain(5_000);
    scene.open[0]?.fail(new Error('the store is down'));
    await drained;
    expect(scene.errors).toHaveLength(1);
  });
});
