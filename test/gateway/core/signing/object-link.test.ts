import fc from 'fast-check';
import { subscriberTypeOf } from '../../../../schemas/object-headers.js';
import { OBJECTS_PATH } from '../../../../schemas/paths.js';
import { createObjectLinks, type LinkedObject } from '../../../../gateway/core/signing/object-link.js';
import { anyText } from '../../../support/random/any-text.js';

const OLD = 'the secret of last year, long enough';
const NEW = 'the secret of this year, long enough';
const EXPIRES = 2_000_000_000;
const NOW = EXPIRES * 1000 - 300_000;
const OBJECT: LinkedObject = {
  sha256: '0123456789abcdef'.repeat(4),
  mediaType: 'application/json',
  disposition: 'attachment; filename="base-gold-7d-latest.json"',
};
const links = createObjectLinks([NEW]);
const link = links.format(OBJECT, EXPIRES);
const DIGEST_END = OBJECTS_PATH.length + 64;

/** Parses a whole link, like a request for it. */
function follow(text: string, { nowMs = NOW, reader = links } = {}): ReturnType<typeof links.parse> {
  const at = text.indexOf('?');
  const path = at < 0 ? text : text.slice(0, at);
  if (!path.startsWith(OBJECTS_PATH)) return 'invalid';
  return reader.parse(path.slice(OBJECTS_PATH.length), at < 0 ? '' : text.slice(at + 1), nowMs);
}

const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,100}$/);
const object = fc.record({
  sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  mediaType: fc.stringMatching(/^[a-z0-9.+-]{1,20}\/[a-z0-9.+-]{1,20}$/),
  disposition: name.map((each) => `attachment; filename="${each}"`),
});

describe('a link to an object', () => {
  it('returns its object until it expires', () => {
    fc.assert(
      fc.property(object, fc.integer({ min: 1, max: 999_999_999_999 }), (each, expires) => {
        const text = links.format(each, expires);
        expect(follow(text, { nowMs: expires * 1000 - 1 })).toEqual(each);
        expect(follow(text, { nowMs: expires * 1000 })).toEqual({ expiredMs: expires * 1000 });
      }),
    );
  });

  it.each(['2024.csv', '2024.parquet', 'manifest.json'])('returns an object of the type of %s', (file) => {
    const each = { ...OBJECT, mediaType: subscriberTypeOf(file) };
    expect(follow(links.format(each, EXPIRES))).toEqual(each);
  });

  it('is not made for a type that it could not return', () => {
    expect(() => links.format({ ...OBJECT, mediaType: 'text/csv; header=present' }, EXPIRES)).toThrow(
      TypeError,
    );
  });

  it.each([
    [-1, OBJECT],
    [0, { expiredMs: EXPIRES * 1000 }],
    [1, { expiredMs: EXPIRES * 1000 }],
  ])('expires at its expiry time: after %d ms', (ms, outcome) => {
    expect(follow(link, { nowMs: EXPIRES * 1000 + ms })).toEqual(outcome);
  });

  it('is invalid with any one character changed, except for another spelling of the same escape', () => {
    const characters = '0123456789abcdefxyzABCDEF%&=+?;/.-_ \u00e9\0';
    const valid = new Set<string>();
    for (let at = 0; at < link.length; at += 1) {
      for (const character of characters) {
        const altered = link.slice(0, at) + character + link.slice(at + 1);
        if (altered !== link && follow(altered) !== 'invalid') valid.add(altered);
      }
    }
    expect([...valid]).toEqual([link.replace('%2F', '%2f')]);
    expect(follow(link.replace('%2F', '%2f'))).toEqual(OBJECT);
  });

  it('is invalid with an additional or missing character', () => {
    for (let at = 0; at <= link.length; at += 1) {
      expect(follow(`${link.slice(0, at)}0${link.slice(at)}`)).toBe('invalid');
      if (at < link.length) expect(follow(link.slice(0, at) + link.slice(at + 1))).toBe('invalid');
    }
  });

  it('is not valid for another object, type, name or time', () => {
    fc.assert(
      fc.property(object, object, fc.integer({ min: 1, max: 100 }), (one, other, more) => {
        const query = (text: string): string => text.slice(DIGEST_END + 1);
        const signatureOf = (text: string): string => new URLSearchParams(query(text)).get('signature') ?? '';
        const target = links.format(one, EXPIRES);
        const foreign = links.format(other, EXPIRES + more);
        const forged = foreign.replace(signatureOf(foreign), signatureOf(target));
        expect(follow(forged)).toBe('invalid');
      }),
    );
  });

  it.each<[string, (query: URLSearchParams) => void]>([
    ['a repeated signature', (query) => query.append('signature', query.get('signature') ?? '')],
    ['a repeated expiry', (query) => query.append('expires', query.get('expires') ?? '')],
    ['a second, later expiry', (query) => query.append('expires', String(EXPIRES + 1))],
    ['an unknown parameter', (query) => query.append('v', '1')],
    ['an empty parameter', (query) => query.append('', '')],
    ['an additional misspelt parameter', (query) => query.set('nane', 'x')],
    ...['expires', 'type', 'name', 'signature'].map<[string, (query: URLSearchParams) => void]>((each) => [
      `no ${each}`,
      (query) => query.delete(each),
    ]),
    ['an empty name', (query) => query.set('name', '')],
    ['no parameters', (query) => [...query.keys()].forEach((each) => query.delete(each))],
    [
      'an upper-case signature',
      (query) => query.set('signature', query.get('signature')?.toUpperCase() ?? ''),
    ],
    ['a shorter signature', (query) => query.set('signature', query.get('signature')?.slice(0, 62) ?? '')],
    ['a zero before the expiry', (query) => query.set('expires', `0${EXPIRES}`)],
    ['a sign before the expiry', (query) => query.set('expires', `+${EXPIRES}`)],
    ['a fraction of a second', (query) => query.set('expires', `${EXPIRES}.0`)],
    ['an expiry in other digits', (query) => query.set('expires', '٢٠٠٠٠٠٠٠٠٠')],
    ['a line break after the name', (query) => query.set('name', `${query.get('name') ?? ''}\n`)],
    ['a line break in the type', (query) => query.set('type', 'application/json\r\nX-A: b')],
  ])('is invalid with %s', (_what, change) => {
    const query = new URLSearchParams(link.slice(DIGEST_END + 1));
    change(query);
    expect(follow(`${link.slice(0, DIGEST_END)}?${query.toString()}`)).toBe('invalid');
  });

  it.each([
    ['an escaped digest', link.replace('0123', '%30123')],
    ['an upper-case digest', link.replace(OBJECT.sha256, OBJECT.sha256.toUpperCase())],
    ['another segment', link.replace('?', '/x?')],
    ['a parent-directory segment', link.replace(OBJECT.sha256, `../objects/${OBJECT.sha256}`)],
    ['a slash', link.replace('?', '/?')],
    ['no digest', link.replace(OBJECT.sha256, '')],
    ['a semicolon for an ampersand', link.replaceAll('&', ';')],
    ['a broken escape', link.replace('%2F', '%2')],
    ['an overlong escape', link.replace('%2F', '%C0%AF')],
    ['a double-encoded slash', link.replace('%2F', '%252F')],
    ['no query', link.slice(0, DIGEST_END)],
  ])('is invalid with %s', (_what, text) => {
    expect(follow(text)).toBe('invalid');
  });

  it('is valid in another spelling with the same meaning', () => {
    const escaped = link.replace('name=', 'n%61me=').replace('expires=2', 'expires=%32');
    const reversed = link
      .slice(DIGEST_END + 1)
      .split('&')
      .toReversed()
      .join('&');
    expect(follow(escaped)).toEqual(OBJECT);
    expect(follow(link.replace('?', '??'))).toEqual(OBJECT); // URLSearchParams drops one leading "?"
    expect(follow(`${link.slice(0, DIGEST_END)}?${reversed}`)).toEqual(OBJECT);
  });

  it('never makes parsing throw', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (digest, query) => {
        expect(links.parse(digest, query, NOW)).toBe('invalid');
        expect(links.parse(OBJECT.sha256, query, NOW)).toBe('invalid');
      }),
    );
  });

  it.each(['inline', 'attachment', 'attachment; filename="a b"', 'attachment; filename="a/../b"', ''])(
    'is not created for the disposition %j',
    (disposition) => {
      expect(() => links.format({ ...OBJECT, disposition }, EXPIRES)).toThrow(TypeError);
    },
  );
});

describe('the secrets of links', () => {
  it('can be rotated without breaking links: the first one signs, both are accepted, and no other is', () => {
    const before = createObjectLinks([OLD]);
    const during = createObjectLinks([NEW, OLD]);
    const after = createObjectLinks([NEW]);
    const [old, fresh] = [before.format(OBJECT, EXPIRES), during.format(OBJECT, EXPIRES)];
    expect(fresh).toBe(after.format(OBJECT, EXPIRES));
    expect([before, during, after].map((reader) => follow(old, { reader }))).toEqual([
      OBJECT,
      OBJECT,
      'invalid',
    ]);
    expect([before, during, after].map((reader) => follow(fresh, { reader }))).toEqual([
      'invalid',
      OBJECT,
      OBJECT,
    ]);
    const foreign = createObjectLinks(['a secret that is not configured here']);
    expect(follow(foreign.format(OBJECT, EXPIRES), { reader: during })).toBe('invalid');
    expect(follow(old, { reader: during, nowMs: EXPIRES * 1000 })).toEqual({ expiredMs: EXPIRES * 1000 });
  });

  it.each([
    ['none', []],
    ['a short one', ['x'.repeat(31)]],
    ['an empty one', ['']],
    ['a short second one', [NEW, 'x'.repeat(31)]],
    ['three', [NEW, OLD, 'x'.repeat(32)]],
  ])('are rejected: %s', (_what, secrets) => {
    expect(() => createObjectLinks(secrets)).toThrow(TypeError);
  });

  it('are measured in bytes, and are not quoted in an error', () => {
    expect(() => createObjectLinks(['é'.repeat(16)])).not.toThrow();
    expect(() => createObjectLinks(['hunter2'])).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
