import type { CollectedDay, Evidence } from '../../../../generator/core/collection/day-values.js';
import { toLineage } from '../../../../generator/core/collection/ledger.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import { SchemaError } from '../../../../schemas/validate.js';

const OBJECTS: Evidence = {
  kind: 'objects',
  sql_sha256: '2'.repeat(64),
  engine: 'duckdb 1.5.6',
  objects: [{ uri: 's3://b/k', etag: '"e"', bytes: 7, last_modified: '2026-08-20T01:45:00Z' }],
};
const RESPONSES: Evidence = {
  kind: 'responses',
  responses: [
    { url: 'https://x.example/y', sha256: '3'.repeat(64), bytes: 9, fetched_at: '2026-08-20T06:15:00Z' },
  ],
};
const day = (evidence: Evidence): CollectedDay => ({
  chain: 'base',
  date: '2026-08-19',
  values: { tx_count: '5' },
  counts: { all_rows: '5' },
  evidence,
});

it.each([
  ['objects', OBJECTS],
  ['responses', RESPONSES],
])(
  'a lineage from %s is canonical text that its digest names, and has the values, counts and evidence of the day',
  (_kind, evidence) => {
    const { text, sha256 } = toLineage('aws', day(evidence), []);
    expect(sha256).toBe(sha256Hex(text));
    expect(JSON.parse(text)).toEqual({ schema: 'lineage/1', source: 'aws', findings: [], ...day(evidence) });
    const { chain, date, values, counts } = day(evidence);
    expect(toLineage('aws', { evidence, counts, values, date, chain }, []).text).toBe(text);
  },
);

it('a lineage with a fiat currency is refused', () => {
  const values = { price_usd: '1' } as CollectedDay['values'];
  expect(() => toLineage('aws', { ...day(OBJECTS), values }, [])).toThrow(SchemaError);
});
