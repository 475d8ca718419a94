import { readQuery } from '../../../../schemas/queries.js';
import {
  AWS_CHAINS,
  type ColumnType,
  isDocumentedType,
  keepsDigits,
  type RawChain,
  sonarxChain,
} from '../../../../generator/sources/aws/raw-tables.js';

const RAW: readonly RawChain[] = [
  AWS_CHAINS.bitcoin,
  AWS_CHAINS.ethereum,
  ...(['arbitrum', 'base'] as const).flatMap((chain) => [
    sonarxChain(chain, false),
    sonarxChain(chain, true),
  ]),
];

it.each(RAW.map((raw) => [raw.query, raw] as const))(
  '%s names the tables and columns that are read',
  async (_, raw) => {
    const { text } = await readQuery(raw.query);
    const words = new Set(text.replace(/--.*/g, '').match(/\w+/g));
    const named = raw.tables.flatMap(({ name, columns }) => [name, ...Object.keys(columns)]);
    // The arrays are in a view of the engine.
    const inView = raw.query === 'bitcoin' ? ['inputs', 'outputs'] : [];
    expect(named.filter((name) => !words.has(name))).toEqual(inView);
  },
);

it('the queries of blocks compute what the whole queries compute from blocks', async () => {
  for (const chain of ['arbitrum', 'base'] as const) {
    const whole = (await readQuery(chain)).text;
    const { text } = await readQuery(`${chain}-blocks`);
    const sums = /block_sums AS \([\s\S]*?\n\)/.exec(text)?.[0] ?? '';
    expect(sums).toContain('block_count');
    expect(whole).toContain(sums);
  }
});

describe('a type of a file', () => {
  const WHOLE = ['TINYINT', 'UINTEGER', 'BIGINT', 'UBIGINT', 'DECIMAL(38,0)', 'DECIMAL(9,0)'];
  const OTHERS = ['FLOAT', 'VARCHAR', 'BLOB', 'BOOLEAN', 'TIMESTAMP', 'DECIMAL of more than 38 digits', ''];

  it.each<[ColumnType, readonly string[], readonly string[]]>([
    ['BIGINT', WHOLE, [...OTHERS, 'DOUBLE', 'DECIMAL(38,2)']],
    ['DECIMAL(38,0)', WHOLE, [...OTHERS, 'DOUBLE', 'DECIMAL(18,9)']],
    ['DOUBLE', [...WHOLE, 'DOUBLE', 'DECIMAL(38,18)'], OTHERS],
    ['VARCHAR', ['VARCHAR'], ['BLOB', 'DOUBLE', ...WHOLE]],
    ['BOOLEAN', ['BOOLEAN'], ['VARCHAR', ...WHOLE]],
    ['ADDRESSES', ['STRUCT(i BIGINT, address VARCHAR)[]'], ['VARCHAR[]', 'STRUCT(address BLOB)[]']],
  ])('is read as %s if it keeps every digit', (expected, kept, refused) => {
    expect(kept.filter((type) => !keepsDigits(type, expected))).toEqual([]);
    expect(refused.filter((type) => keepsDigits(type, expected))).toEqual([]);
    expect(refused.filter((type) => isDocumentedType(type, expected))).toEqual([]);
  });
});
