import {
  findIncomplete,
  groupByDate,
  keysOf,
  markOf,
  type RawObject,
} from '../../../../generator/sources/aws/bucket.js';

const PREFIX = 'v1.0/btc/blocks/';

function objectOf(key: string, etag = '"1"', bytes = 10): RawObject {
  return {
    key: `${PREFIX}${key}`,
    uri: `s3://b/${PREFIX}${key}`,
    etag,
    bytes,
    lastModified: '2026-01-02T00:40:00Z',
  };
}

const part = (date: string, i = 0): RawObject => objectOf(`date=${date}/part-0000${i}-a.snappy.parquet`);
const within = (date: string): RawObject => objectOf(`date=${date}/940001.snappy.parquet`);

describe('keysOf', () => {
  it('gives keys before and after those of the dates', () => {
    const [beginning, { after, before }] = keysOf(PREFIX, { first: '2025-12-30', last: '2026-01-09' });
    const keyOf = (date: string): string => part(date).key;
    expect(beginning).toBe(`${PREFIX}date=202`);
    expect(keyOf('2025-12-29') < after && after < keyOf('2025-12-30')).toBe(true);
    expect(keyOf('2026-01-09') < before && before < keyOf('2026-01-10')).toBe(true);
  });

  it('names the folder of a single date', () => {
    expect(keysOf(PREFIX, { first: '2026-01-09', last: '2026-01-09' })[0]).toBe(`${PREFIX}date=2026-01-09`);
  });
});

describe('groupByDate', () => {
  it('gives the objects of each date', () => {
    const objects = [part('2026-01-01'), part('2026-01-01', 1), within('2026-01-02')];
    expect([...groupByDate(PREFIX, objects)]).toEqual([
      ['2026-01-01', objects.slice(0, 2)],
      ['2026-01-02', objects.slice(2)],
    ]);
  });

  it('ignores what is in no date, the folders, and the sign that one is complete', () => {
    const names = [
      '_SUCCESS',
      'date=2026-02-30/part-0.parquet',
      'date=2026-01-01/',
      'date=2026-01-01/_SUCCESS',
    ];
    const elsewhere = { ...part('2026-01-01'), key: 'v1.0/eth/blocks/date=2026-01-01/part-0.parquet' };
    expect(groupByDate(PREFIX, [...names.map((name) => objectOf(name)), elsewhere])).toEqual(new Map());
  });
});

describe('findIncomplete', () => {
  it('finds nothing where all are parts', () => {
    expect(findIncomplete(PREFIX, [part('2026-01-01'), part('2026-01-01', 1)], 'part-')).toBeUndefined();
  });

  it('names a file within the day, while it is alone and while it is replaced', () => {
    expect(findIncomplete(PREFIX, [within('2026-01-01')], 'part-')).toContain(
      '940001.snappy.parquet among 1 ',
    );
    const both = [part('2026-01-01'), within('2026-01-01')];
    expect(findIncomplete(PREFIX, both, 'part-')).toContain('940001.snappy.parquet among 2 ');
  });

  it.each(['_temporary/part-0.parquet', 'part-0.parquet/x', 'part-0.csv', 'part-0/a.parquet'])(
    'names %s',
    (name) => {
      expect(findIncomplete(PREFIX, [objectOf(`date=2026-01-01/${name}`)], 'part-')).toContain(name);
    },
  );

  it('takes other names where the data set has others', () => {
    expect(findIncomplete(PREFIX, [within('2026-01-01')], '')).toBeUndefined();
  });

  it('says that there is nothing', () => {
    expect(findIncomplete(PREFIX, [], 'part-')).toBe('no objects');
  });
});

describe('markOf', () => {
  const objects = [part('2026-01-01'), part('2026-01-01', 1)];

  it('does not depend on the order', () => {
    expect(markOf(objects.toReversed())).toBe(markOf(objects));
  });

  it.each([
    ['a key', [objects[0], part('2026-01-01', 2)]],
    ['an ETag', [objects[0], { ...objects[1], etag: '"2"' }]],
    ['a size', [objects[0], { ...objects[1], bytes: 11 }]],
    ['the number', [objects[0]]],
  ])('changes with %s', (_what, changed) => {
    expect(markOf(changed as RawObject[])).not.toBe(markOf(objects));
  });
});
