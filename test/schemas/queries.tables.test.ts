import { CHAIN_IDS } from '../../schemas/catalog.js';
import { readQuery } from '../../schemas/queries.js';
import {
  readTableStatements,
  toTrinoType,
  type TableStatement,
} from '../support/engines/table-statements.js';

const ATHENA = readTableStatements('athena');
const TRINO = readTableStatements('trino');
const withoutText = ({ sql: _sql, ...table }: TableStatement): unknown => table;

it('Athena and Trino have the same tables: in the same places, with the same columns of the same types', () => {
  expect(TRINO.length).toBe(9);
  const translated = ATHENA.map(({ columns, ...each }) => ({
    ...each,
    columns: columns.map(({ name, type }) => ({ name, type: toTrinoType(type) })),
  }));
  expect(translated.map(withoutText)).toEqual(TRINO.map(withoutText));
});

it('the view of addresses is the same on both', () => {
  const views = [ATHENA, TRINO].map((all) => all.filter(({ folder }) => folder === undefined));
  expect(views[0]?.map(({ table }) => table)).toEqual(['btc_addresses']);
  expect(views[0]).toEqual(views[1]);
});

it('the tables are those that the queries read', async () => {
  const read = new Set<string>();
  for (const chain of CHAIN_IDS) {
    const { text } = await readQuery(chain);
    const own: readonly string[] = text.match(/^\w+(?= AS \()/gm) ?? [];
    for (const name of text.match(/(?<=\b(FROM|JOIN) )[a-z]\w+/g) ?? [])
      if (!own.includes(name)) read.add(name);
  }
  expect([...read].sort()).toEqual(TRINO.map(({ table }) => table).sort());
});

it.each(ATHENA.filter(({ folder }) => folder !== undefined))(
  'Athena projects the partitions of $table, one for each date',
  ({ sql }) => {
    expect(sql).toContain('PARTITIONED BY (`date` string)');
    for (const property of [
      "'projection.enabled' = 'true'",
      "'projection.date.type' = 'date'",
      "'projection.date.format' = 'yyyy-MM-dd'",
      "'projection.date.interval' = '1'",
      "'projection.date.interval.unit' = 'DAYS'",
    ]) {
      expect(sql).toContain(property);
    }
    expect(sql).toMatch(/'projection\.date\.range' = '20\d\d-\d\d-\d\d,NOW'/);
  },
);
