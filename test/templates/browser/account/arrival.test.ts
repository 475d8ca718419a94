import fc from 'fast-check';
import {
  isReturn,
  parseArrival,
  parseReturnPath,
  toReturnPath,
  type Purpose,
  wantedBrief,
} from '../../../../templates/browser/account/arrival.js';

const PURPOSES: readonly Purpose[] = [
  { kind: 'look' },
  { kind: 'paid' },
  { kind: 'not-paid' },
  { kind: 'portal' },
  { kind: 'download', chain: 'base' },
  { kind: 'download', chain: 'base', file: { genre: 'briefs', date: '2026-08-20' } },
  { kind: 'buy', plan: 'research', chain: null },
  { kind: 'buy', plan: 'single-chain', chain: null },
  { kind: 'buy', plan: 'single-chain', chain: 'base' },
];

it.each(PURPOSES)('keeps a purpose in the return path: %j', (purpose) => {
  expect(parseReturnPath(toReturnPath(purpose))).toEqual(purpose);
});

it.each([
  undefined,
  '',
  'https://evil.example/account?checkout=success',
  '//evil.example/account?checkout=success',
  '/\\evil.example?checkout=success',
  'javascript:alert(1)?checkout=success',
  '/account/../docs?checkout=success',
  '/account?x?checkout=success',
  '/account?plan=other',
])('takes %j only as a wish to look', (path) => {
  expect(parseReturnPath(path)).toEqual({ kind: 'look' });
});

it('never returns an address outside the page, whatever the query is', () => {
  fc.assert(
    fc.property(fc.webQueryParameters(), (query) => {
      const arrival = parseArrival(`?${query}`);
      const path = arrival.kind === 'visit' ? toReturnPath(arrival.purpose) : '/account';
      expect(PURPOSES.map(toReturnPath).concat(path.replace(/chain=\w+/, 'chain=base'))).toContain(path);
    }),
  );
});

it('knows the brief that someone came to read, and no other purpose', () => {
  expect(PURPOSES.map(wantedBrief).filter((brief) => brief !== undefined)).toEqual([
    { chain: 'base', date: '2026-08-20' },
  ]);
  const { purpose } = parseArrival('?download=base&content=meta&date=2026-08-20') as { purpose: Purpose };
  expect([purpose.kind, wantedBrief(purpose)]).toEqual(['download', undefined]);
});

it.each([
  ['?code=a&state=b', 'callback'],
  ['?error=login_required&state=b', 'callback'],
  ['?error=invalid_request', 'callback'], // without the state, as RFC 6749 does not allow
  ['?code=a', 'visit'],
  ['?state=b', 'visit'],
  ['', 'visit'],
])('takes the query %s as a %s', (query, kind) => {
  expect(parseArrival(query).kind).toBe(kind);
});

it('drops the chain of a plan for all chains, and an unknown chain', () => {
  expect(parseArrival('?plan=research&chain=base')).toEqual({
    kind: 'visit',
    purpose: { kind: 'buy', plan: 'research', chain: null },
  });
  expect(parseArrival('?plan=single-chain&chain=other')).toEqual({
    kind: 'visit',
    purpose: { kind: 'buy', plan: 'single-chain', chain: null },
  });
});

it('signs in again without a question only after a payment or the portal', () => {
  expect(PURPOSES.filter(isReturn).map(({ kind }) => kind)).toEqual(['paid', 'not-paid', 'portal']);
});
