import { objectKey } from '../../../../schemas/paths.js';
import { GatewayError } from '../../../../gateway/core/problems.js';
import { createPresigner } from '../../../../gateway/core/signing/sigv4.js';
import { createS3UrlSigner } from '../../../../gateway/io/signing/s3-url-signer.js';
import type { SignedUrl, UrlSigner } from '../../../../gateway/io/signing/url-signer.js';
import type { S3Credentials } from '../../../../infra/store/s3/s3-signing.js';
import { withFakeTimers } from '../../../support/jest/fake-timers.js';

const PLACE = { origin: 'https://b.s3.eu-west-1.amazonaws.com', path: '/data/', region: 'eu-west-1' };
const OBJECT = {
  sha256: 'a'.repeat(64),
  mediaType: 'application/json',
  disposition: 'attachment; filename="a.json"',
};
const START = Date.parse('2026-08-20T12:00:00Z');

/** Creates a signer with a clock and a credentials provider that the test controls. */
function createScene(ttlSeconds = 300) {
  const scene = {
    nowMs: START,
    calls: 0,
    errors: [] as unknown[],
    provide: (): Promise<S3Credentials> => Promise.reject(new Error('no credentials')),
    /** Lets the provider return credentials that expire after `lifeSeconds`. */
    provideKey(id: string, lifeSeconds?: number): void {
      const expiration =
        lifeSeconds === undefined ? {} : { expiration: new Date(scene.nowMs + lifeSeconds * 1000) };
      scene.provide = () => Promise.resolve({ accessKeyId: id, secretAccessKey: 'secret', ...expiration });
    },
    fail(): void {
      scene.provide = () => Promise.reject(new Error('no credentials'));
    },
    signer: undefined as unknown as UrlSigner, // set below
  };
  scene.signer = createS3UrlSigner({
    location: PLACE,
    getCredentials: () => {
      scene.calls += 1;
      return scene.provide();
    },
    ttlSeconds,
    now: () => scene.nowMs,
    onError: (error) => scene.errors.push(error),
  });
  return scene;
}

/** Returns a signed URL. @throws Error if the signer has to wait. */
function signNow(signer: UrlSigner): SignedUrl {
  const signed = signer.sign(OBJECT);
  if ('then' in signed) throw new Error('it waits');
  return signed;
}

const keyIdOf = ({ url }: SignedUrl): string =>
  new URL(url).searchParams.get('X-Amz-Credential')?.split('/')[0] ?? '';
const codeOf = (error: unknown): unknown => (error instanceof GatewayError ? error.code : error);
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('URLs of an S3 store', () => {
  it('are those of the presigner, and after the first one are signed without waiting', async () => {
    const scene = createScene();
    scene.provideKey('A');
    const first = await scene.signer.sign(OBJECT);
    expect(signNow(scene.signer)).toEqual(first);
    const presigner = createPresigner(PLACE, { accessKeyId: 'A', secretAccessKey: 'secret' });
    const { mediaType: responseType, disposition: responseDisposition } = OBJECT;
    const key = objectKey(OBJECT.sha256);
    const url = presigner.presign({ key, expiresInSeconds: 300, responseType, responseDisposition }, START);
    expect(first).toEqual({ url, expiresInSeconds: 300 });
    expect(scene.calls).toBe(1);
  });

  it.each([
    [300, 3600, 300],
    [3600, 3600, 3590],
    [300, 310, 300],
    [300, 309, 299],
    [300, 309.9, 299],
    [60, 70, 60],
    [300, 60, 50],
    [300, 11, 1],
  ])(
    'expire after %d s, or 10 s before credentials that expire after %d s: after %d s',
    async (ttl, life, seconds) => {
      const scene = createScene(ttl);
      scene.provideKey('A', life);
      const { url, expiresInSeconds } = await scene.signer.sign(OBJECT);
      expect(expiresInSeconds).toBe(seconds);
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe(String(seconds));
    },
  );

  it.each([0, 5, 10, 10.9])('are not signed with credentials that expire after %d s', async (life) => {
    const scene = createScene();
    scene.provideKey('A', life);
    await expect(scene.signer.sign(OBJECT)).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  it('use the signing key of the current day', async () => {
    const scene = createScene();
    scene.provideKey('A');
    await scene.signer.sign(OBJECT);
    for (const instant of ['2026-08-20T23:59:59.999Z', '2026-08-21T00:00:00Z']) {
      scene.nowMs = Date.parse(instant);
      const fresh = createScene();
      fresh.nowMs = scene.nowMs;
      fresh.provideKey('A');
      const { url } = signNow(scene.signer);
      expect(url).toContain(`%2F${instant.slice(0, 10).replaceAll('-', '')}%2Feu-west-1`);
      expect(url).toBe((await fresh.signer.sign(OBJECT)).url);
    }
  });
});

describe('credentials', () => {
  it('are renewed in the background, by one call, five minutes and the life of a URL before they end', async () => {
    const scene = createScene();
    scene.provideKey('A', 3600);
    await scene.signer.sign(OBJECT);
    scene.provideKey('B', 7200);
    scene.nowMs = START + (3600 - 10 - 600) * 1000;
    signNow(scene.signer);
    expect(scene.calls).toBe(1);
    scene.nowMs += 1;
    const signed = [signNow(scene.signer), signNow(scene.signer), signNow(scene.signer)];
    expect(signed.map(keyIdOf)).toEqual(['A', 'A', 'A']);
    expect(scene.calls).toBe(2);
    await settle();
    expect(keyIdOf(signNow(scene.signer))).toBe('B');
    expect(scene.calls).toBe(2);
  });

  it('are requested once for concurrent callers', async () => {
    const scene = createScene();
    scene.provideKey('A', 3600);
    const signed = await Promise.all(Array.from({ length: 20 }, async () => scene.signer.sign(OBJECT)));
    expect(new Set(signed.map(({ url }) => url)).size).toBe(1);
    expect(scene.calls).toBe(1);
  });

  it('are used until about their end while renewals fail, with a retry every ten seconds', async () => {
    const scene = createScene();
    scene.provideKey('A', 900);
    await scene.signer.sign(OBJECT);
    scene.fail();
    const lives: number[] = [];
    for (let second = 1; second < 890; second += 1) {
      scene.nowMs = START + second * 1000;
      lives.push((await scene.signer.sign(OBJECT)).expiresInSeconds);
      await settle();
    }
    expect(lives).toEqual(Array.from({ length: 889 }, (_, i) => Math.min(300, 889 - i)));
    // Renewals start after 290 s: 900 s minus the margin of 10 s, five minutes and the life of a URL.
    expect(scene.calls - 1).toBe(Math.ceil((889 - 290) / 10));
    expect(scene.errors).toHaveLength(scene.calls - 1);
  });

  it('are missing when they have expired, and are requested again every ten seconds', async () => {
    const scene = createScene();
    const refused = { code: 'store-unavailable' };
    await expect(scene.signer.sign(OBJECT)).rejects.toMatchObject(refused);
    scene.provideKey('A', 3600);
    scene.nowMs += 9_999;
    await expect(scene.signer.sign(OBJECT)).rejects.toMatchObject(refused);
    expect(scene.calls).toBe(1);
    scene.nowMs += 1;
    expect(keyIdOf(await scene.signer.sign(OBJECT))).toBe('A');
    scene.fail();
    scene.nowMs += 3_600_000;
    await expect(scene.signer.sign(OBJECT)).rejects.toMatchObject(refused);
  });

  it('are renewed before signing when little more than a minute of them is left', async () => {
    const scene = createScene();
    scene.provideKey('A', 3600);
    await scene.signer.sign(OBJECT);
    scene.nowMs += (3600 - 69) * 1000;
    scene.provideKey('B', 3600);
    const signed = await scene.signer.sign(OBJECT);
    expect([keyIdOf(signed), signed.expiresInSeconds]).toEqual(['B', 300]);
  });

  it('that always expire soon are requested at most every ten seconds', async () => {
    const scene = createScene(3600);
    for (let second = 0; second < 100; second += 1) {
      scene.nowMs = START + second * 1000;
      scene.provideKey('A', 900);
      await scene.signer.sign(OBJECT);
      await settle();
    }
    expect(scene.calls).toBe(10);
  });

  it('are requested again after the clock was set back', async () => {
    const scene = createScene();
    await expect(scene.signer.sign(OBJECT)).rejects.toBeDefined();
    scene.nowMs -= 3_600_000;
    scene.provideKey('A', 3600);
    expect(keyIdOf(await scene.signer.sign(OBJECT))).toBe('A');
  });

  it('that never arrive delay no request longer than five seconds', () =>
    withFakeTimers(async (advance) => {
      const scene = createScene();
      scene.provide = () => new Promise(() => undefined);
      const outcome = Promise.resolve(scene.signer.sign(OBJECT)).catch(codeOf);
      await advance(5_000);
      expect(await outcome).toBe('store-unavailable');
      scene.nowMs += 10_000;
      scene.provideKey('A', 3600);
      expect(keyIdOf(await scene.signer.sign(OBJECT))).toBe('A');
    }));
});
