import {
  responseFormOf,
  matchesEtag,
  parseRequestedRange,
} from '../../../../gateway/core/http/conditions.js';

const ETAG = '"sha256:aa"';

describe('If-None-Match', () => {
  it.each([ETAG, `W/${ETAG}`, '*', `"x", ${ETAG}`, `"x",W/${ETAG} , "y"`])('matches %s', (value) =>
    expect(matchesEtag(value, ETAG)).toBe(true),
  );

  it.each([undefined, '', '"x"', 'sha256:aa', '"sha256:a"', '"x", "y"'])('does not match %s', (value) =>
    expect(matchesEtag(value, ETAG)).toBe(false),
  );
});

describe('Range', () => {
  const of = (range: string | undefined, ifRange?: string) =>
    parseRequestedRange({ range, ifRange }, { sizeBytes: 100, etag: ETAG });

  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=90-', 90, 99],
    ['bytes=-10', 90, 99],
    ['bytes=90-200', 90, 99],
    ['bytes=0-0', 0, 0],
    ['bytes=0-9,10-19', 0, 19],
  ])('%s is a range', (range, start, end) => expect(of(range)).toEqual({ kind: 'part', start, end }));

  it.each([undefined, 'bytes=0-9,50-59', 'lines=0-9', 'bytes', 'bytes=a-b'])(
    '%s is the whole file',
    (range) => expect(of(range)).toEqual({ kind: 'all' }),
  );

  it('past the end is outside the file', () => expect(of('bytes=100-')).toEqual({ kind: 'outside' }));

  it('applies only to the file that If-Range names', () => {
    expect(of('bytes=0-9', ETAG)).toEqual({ kind: 'part', start: 0, end: 9 });
    expect(of('bytes=0-9', '"other"')).toEqual({ kind: 'all' });
    expect(of('bytes=0-9', `W/${ETAG}`)).toEqual({ kind: 'all' });
    expect(of('bytes=0-9', 'Sat, 21 Nov 2026 00:00:00 GMT')).toEqual({ kind: 'all' });
  });
});

describe('Accept', () => {
  it.each([
    'application/json; profile="signed-url"',
    'application/json;profile=signed-url',
    'text/html, application/json; charset=utf-8; profile="signed-url"; q=0.9',
    'APPLICATION/JSON; PROFILE="signed-url", */*;q=0',
  ])('asks for a document: %s', (accept) => expect(responseFormOf(accept)).toBe('document'));

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/json; profile="signed-url"; q=0',
    'application/json; profile="signed-url";q=0.000',
    'application/json; profile="signed-urls"',
    'text/html; profile="signed-url"',
  ])('asks for a redirect: %s', (accept) => expect(responseFormOf(accept)).toBe('redirect'));
});
