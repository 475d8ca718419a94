import type { Engine, EngineQuery } from '../../../../generator/engines/engine.js';
import { EngineError } from '../../../../generator/engines/engine.js';
import { createAws, createSonarx } from '../../../../generator/sources/aws/aws.js';
import { startFakeS3, type FakeS3 } from '../../../support/s3/fake-s3.js';

const DATE = '2026-01-01';
const SPAN = { first: DATE, last: DATE };
const { signal } = new AbortController();
const ROW = { date: DATE, block_count: '7', gas_used: '21000', fees: '42000000000000', tx_count: '2' };

let server: FakeS3;
beforeEach(async () => {
  server = await startFakeS3(({ url }) => {
    const prefix = new URL(url, 'http://host').searchParams.get('prefix') ?? '';
    const contents = `<Contents><Key>${prefix}/part-0.parquet</Key><LastModified>2026-01-02T00:40:00.000Z</LastModified><ETag>"1"</ETag><Size>10</Size></Contents>`;
    return {
      status: 200,
      body: `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`,
    };
  });
});
afterEach(() => server.dispose());

/** An engine that has the tables, and answers every query in the same way. */
function engineWith(
  answer: () => Promise<Awaited<ReturnType<Engine['run']>>>,
): Engine & { queries: EngineQuery[] } {
  const queries: EngineQuery[] = [];
  return {
    name: 'tables 1',
    ownTables: true,
    queries,
    run(query) {
      queries.push(query);
      return answer();
    },
  };
}

const optionsWith = (engine: Engine) => ({
  openEngine: () => Promise.resolve(engine),
  cacheFolder: '/nonexistent',
  endpoint: server.endpoint,
});

describe('with an engine that has the tables', () => {
  it('a day is the result of the query, and no object is read', async () => {
    const engine = engineWith(() => Promise.resolve([ROW]));
    const source = createAws(optionsWith(engine));
    const day = await source.day('ethereum', DATE, signal);
    expect(day.values).toEqual({
      block_count: '7',
      gas_used: '21000',
      fees_total: '0.000042',
      tx_count: '2',
    });
    expect(engine.queries).toHaveLength(1);
    expect(engine.queries[0]?.tables).toEqual({});
    expect(engine.queries[0]?.mark).toBe((await source.days('ethereum', SPAN, signal)).get(DATE));
    expect(engine.queries[0]?.sql).toContain(`WHERE date BETWEEN '${DATE}' AND '${DATE}'`);
    expect(day.evidence).toMatchObject({ engine: 'tables 1', objects: [{ etag: '"1"' }, { etag: '"1"' }] });
    expect(server.seen.filter(({ url }) => !url.includes('list-type=2'))).toEqual([]);
  });

  it('the columns of files cannot be probed, and the error says with what', async () => {
    const source = createAws(optionsWith(engineWith(() => Promise.resolve([]))));
    await expect(source.probe('ethereum', signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Use the engine duckdb'),
    });
  });

  it.each([
    ['has no rows', [], /^sonarx: base 2026-01-01: a date has 0 rows/],
    ['is of another date', [{ ...ROW, date: '2026-01-02' }], /expected rows of this date, got 2026-01-02/],
    ['has other text than integers', [{ ...ROW, gas_used: 'many' }], /gas_used is many, not an integer/],
  ])('a result that %s is refused', async (_what, rows, message) => {
    const source = createSonarx(optionsWith(engineWith(() => Promise.resolve(rows))));
    await expect(source.day('base', DATE, signal)).rejects.toMatchObject({
      code: 'shape',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['shape', 'shape'],
    ['failed', 'unavailable'],
    ['not-installed', 'unavailable'],
  ] as const)('a failure of the engine (%s) is one of the source (%s)', async (code, expected) => {
    const failing = engineWith(() => Promise.reject(new EngineError(code, 'It broke. Fix it.')));
    await expect(createAws(optionsWith(failing)).day('ethereum', DATE, signal)).rejects.toMatchObject({
      name: 'SourceError',
      code: expected,
      message: 'aws: 2026-01-01: It broke. Fix it.',
    });
  });
});

it('needs an engine that is not installed only for a query, and names it then', async () => {
  const message = 'DuckDB is not installed. Install it.';
  const openEngine = (): Promise<Engine> => Promise.reject(new EngineError('not-installed', message));
  const source = createAws({ ...optionsWith(engineWith(() => Promise.resolve([]))), openEngine });
  expect([...(await source.days('ethereum', SPAN, signal)).keys()]).toEqual([DATE]);
  const expected = { name: 'SourceError', code: 'unavailable', message: `aws: ${message}` };
  await expect(source.day('ethereum', DATE, signal)).rejects.toMatchObject(expected);
  await expect(source.probe('ethereum', signal)).rejects.toMatchObject(expected);
});

it('each source has its own chains and terms', async () => {
  const engine = engineWith(() => Promise.resolve([ROW]));
  const [aws, sonarx] = [createAws(optionsWith(engine)), createSonarx(optionsWith(engine))];
  expect([aws.facts, sonarx.facts]).toMatchObject([
    { id: 'aws', resale: 'yes', settlingDays: 3 },
    { id: 'sonarx', resale: 'unknown', settlingDays: 7 },
  ]);
  expect(await aws.days('base', SPAN, signal)).toEqual(new Map());
  expect(await sonarx.days('bitcoin', SPAN, signal)).toEqual(new Map());
  await expect(sonarx.day('bitcoin', DATE, signal)).rejects.toMatchObject({ code: 'not-yet' });
  expect(await aws.probe('base', signal)).toEqual([]);
  expect(server.seen).toEqual([]);
  expect([...(await sonarx.days('base', SPAN, signal)).keys()]).toEqual([DATE]);
  expect(server.seen).toHaveLength(1);
});

it('a mirror that is neither https nor on this machine is refused', () => {
  const engine = engineWith(() => Promise.resolve([]));
  const options = { ...optionsWith(engine), endpoint: 'http://mirror.example.com' };
  expect(() => createAws(options)).toThrow(/the endpoint must be an https URL/);
});
