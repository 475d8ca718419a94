import fc from 'fast-check';
import { createApiKey } from '../../../gateway/core/access/api-key.js';
import { createObjectLinks } from '../../../gateway/core/signing/object-link.js';
import { createScrubber } from '../../../gateway/core/scrub.js';
import { createPresigner } from '../../../gateway/core/signing/sigv4.js';
import { createRandom } from '../../support/random/seeded.js';
import { anyText } from '../../support/random/any-text.js';

const random = createRandom(3);
const key = createApiKey('live', (size) => Uint8Array.from({ length: size }, () => random() * 256)).text;
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = `${base64({ alg: 'RS256' })}.${base64({ sub: 'somebody' })}.c2lnbmF0dXJl-_x`;
const place = { origin: 'https://b.s3.eu-west-1.amazonaws.com', path: '/', region: 'eu-west-1' };
const presigned = createPresigner(place, {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'secret',
  sessionToken: 'to/k+en==',
}).presign({ key: 'k', expiresInSeconds: 60, responseType: 'a/b', responseDisposition: 'inline' }, 0);
const link = createObjectLinks(['x'.repeat(32)]).format(
  { sha256: 'a'.repeat(64), mediaType: 'a/b', disposition: 'attachment; filename="a.json"' },
  2_000_000_000,
);
const scrub = createScrubber(['my-bucket', 'my-bucket-of-releases', 'link/secret+?[x]']);

describe('createScrubber', () => {
  it.each([
    ['an API key', `key ${key}, sent`, 'key [hidden], sent'],
    ['a key of the other mode', key.replace('live', 'test'), '[hidden]'],
    ['a key among letters', `xx${key}/y`, 'xx[hidden]/y'],
    ['a key with a wrong checksum', `${key.slice(0, -6)}000000`, '[hidden]'],
    ['a token', `Authorization: Bearer ${token}`, 'Authorization: Bearer [hidden]'],
    ['an escaped token', `Bearer%20${token}`, 'Bearer%20[hidden]'],
    ['a token without a signature', `${token.slice(0, token.lastIndexOf('.') + 1)} x`, '[hidden] x'],
    [
      'a presigned URL',
      `GET ${presigned} failed`,
      `GET ${presigned.slice(0, presigned.indexOf('?'))}[hidden] failed`,
    ],
    ['a link', `"${link}"`, `"${link.slice(0, link.indexOf('?'))}[hidden]"`],
    ['a name', 'no bucket my-bucket here', 'no bucket [hidden] here'],
    ['the longer of two names', 'no bucket my-bucket-of-releases', 'no bucket [hidden]'],
    ['a name that a pattern would misread', 'a link/secret+?[x] b', 'a [hidden] b'],
    ['several at once', `my-bucket ${key} ${token} my-bucket`, '[hidden] [hidden] [hidden] [hidden]'],
  ])('hides %s', (_what, text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed);
  });

  it.each([
    'connect ECONNREFUSED 127.0.0.1:4566',
    'GET /api/v1/files/gold/base/latest.json?redirect=false&revision=2026-08-20.000001',
    'crd_live_ is how a key begins',
    'my-buck et and My-Bucket',
    'eyJ is not a token, nor is eyJhbGciOiJub25lIn0',
    'Error: what?\n    at file:///app/dist/gateway/main.js:3:1',
    '',
  ])('returns unchanged: %s', (text) => {
    expect(scrub(text)).toBe(text);
  });

  it.each(['live', 'test', 'crd', 'eyJ', 'Amz', 'hidden', 'signature', '?'])(
    'hides the end of every secret when a bucket is named %s, which is a part of them or of [hidden]',
    (name) => {
      const hide = createScrubber([name]);
      for (const text of [
        key,
        key.replace('live', 'test'),
        token,
        presigned.slice(presigned.indexOf('?')),
        link,
      ]) {
        const secret = text.slice(-20);
        expect(hide(`before ${text} after`)).not.toContain(secret);
        expect(hide(`before ${text} after`)).toMatch(/^before .* after$/);
      }
    },
  );

  it('hides every given name, regardless of its position and of what it overlaps', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 5 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', ' '), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 4 }), text, (names, each) => {
        const kept = createScrubber([...names, ''])(each).split('[hidden]');
        const inside = Array.from(each, (_, at) =>
          names.some((given) =>
            Array.from(given, (_digit, i) => at - i).some(
              (from) => from >= 0 && each.startsWith(given, from),
            ),
          ),
        );
        expect(kept.join('')).toBe(
          Array.from(each)
            .filter((_, at) => inside[at] !== true)
            .join(''),
        );
      }),
    );
  });

  it('returns text without secrets unchanged', () => {
    const plain = anyText().filter((each) => !/crd_|eyJ|\?/.test(each));
    fc.assert(fc.property(plain, (text) => expect(createScrubber([])(text)).toBe(text)));
  });

  it('takes at most a little more time for each character of a long text that repeats the beginning of a secret', () => {
    const secondsFor = (text: string): number => {
      const start = process.cpuUsage();
      expect(scrub(text)).toBe(text);
      return process.cpuUsage(start).user / 1e6;
    };
    for (const part of ['?', 'eyJ', 'crd_live_', '?a=']) {
      const times = (length: number): number =>
        Math.min(...[1, 2].map(() => secondsFor(part.repeat(length / part.length))));
      expect(times(80_000) / Math.max(times(10_000), 0.001)).toBeLessThan(32); // 8 if linear, 64 if quadratic
    }
  });
});
