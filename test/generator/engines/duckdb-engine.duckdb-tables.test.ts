import { toTableStatements } from '../../../generator/engines/duckdb-engine.js';

function statementFor(path: string): string | undefined {
  return toTableStatements({ base_blocks: [{ date: '2026-01-01', paths: [path] }] })[0];
}

describe('the statement of a table', () => {
  it('quotes a path', () => {
    expect(statementFor("/data/o'brien/a.parquet")).toContain("read_parquet(['/data/o''brien/a.parquet']");
  });

  it.each([
    'a.parquet',
    's3://bucket/a.parquet',
    '/data/*.parquet',
    '/data/[ab].parquet',
    '/data/a?.parquet',
  ])('refuses the path %s', (path) => {
    expect(() => statementFor(path)).toThrow(RangeError);
  });

  it.each(['2026-02-30', "2026-01-01' --"])('refuses the date %s', (date) => {
    expect(() => toTableStatements({ base_blocks: [{ date, paths: ['/a'] }] })).toThrow(RangeError);
  });

  it('refuses a name that is not that of a table', () => {
    expect(() => toTableStatements({ 'a; DROP b': [{ date: '2026-01-01', paths: ['/a'] }] })).toThrow(
      new RangeError('not a name of a table: a; DROP b'),
    );
  });
});

it("makes the view of bitcoin's addresses only with bitcoin's transactions", () => {
  const days = [{ date: '2026-01-01', paths: ['/a'] }];
  expect(toTableStatements({ btc_blocks: days })).toHaveLength(1);
  expect(toTableStatements({ btc_blocks: days, btc_transactions: days })[2]).toMatch(
    /^CREATE VIEW btc_addresses /,
  );
});
