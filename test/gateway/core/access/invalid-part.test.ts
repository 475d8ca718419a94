import fc from 'fast-check';
import { explainInvalidPart, findInvalidPart } from '../../../../gateway/core/access/invalid-part.js';

const wordsOf = (path: string): readonly string[] | undefined =>
  findInvalidPart(path)?.values.map(({ value }) => value);

it.each([
  ['/chains/dogecoin', 'chain', '/chains/bitcoin'],
  ['/charts/btc.svg', 'chain', '/charts/bitcoin.svg'],
  ['/api/v1/summary/Bitcoin', 'chain', '/api/v1/summary/bitcoin'],
  ['/api/v1/sql/solana.sql', 'chain', '/api/v1/sql/bitcoin.sql'],
  ['/api/v1/files/gold/btc/latest.json', 'chain', '/api/v1/files/gold/bitcoin/latest.json'],
  ['/api/v1/files/gold/btc/2024-01-01.json', 'chain', '/api/v1/files/gold/bitcoin/2024-01-01.json'],
  ['/api/v1/files/briefs/chains/btc/latest.json', 'chain', '/api/v1/files/briefs/chains/bitcoin/latest.json'],
  ['/api/v1/files/silver/base/latest.json', 'genre', '/api/v1/files/meta/base/latest.json'],
  ['/api/v1/files/gold/base/14d/latest.json', 'window', '/api/v1/files/gold/base/7d/latest.json'],
  ['/api/v1/files/gold/base/volumes/2024.xlsx', 'format', '/api/v1/files/gold/base/volumes/2024.parquet'],
])('finds in %s the %s, and suggests %s', (path, name, first) => {
  const part = findInvalidPart(path);
  expect([part?.name, part?.values[0]?.path]).toEqual([name, first]);
});

it('suggests the path of briefs, which has one more folder', () => {
  expect(findInvalidPart('/api/v1/files/brief/base/latest.json')?.values.at(-1)).toEqual({
    value: 'briefs',
    path: '/api/v1/files/briefs/chains/base/latest.json',
  });
});

it('finds nothing in a path whose parts are valid, or that is like none of ours', () => {
  for (const path of [
    '/chains/base',
    '/api/v1/files/gold/base/2999-01-01.json',
    '/',
    '/docs',
    '/chains',
    '/a/b/c',
  ])
    expect(findInvalidPart(path)).toBeUndefined();
});

it('names the values in a sentence, without the one that was sent', () => {
  const part = findInvalidPart('/chains/dogecoin');
  expect(part && explainInvalidPart(part)).toBe('Unknown chain. Use bitcoin, ethereum, arbitrum or base.');
});

it('suggests only valid values for any part, however long', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect([undefined, 'bitcoin']).toContain(wordsOf(`/chains/${text}`)?.[0]);
      expect([undefined, 'meta', 'bitcoin']).toContain(wordsOf(`/api/v1/files/${text}/latest.json`)?.[0]);
    }),
  );
  expect(findInvalidPart(`/chains/${'a'.repeat(8_192)}`)).toBeUndefined();
});
