import { readdir, readFile } from 'node:fs/promises';
import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { toStatements } from '../support/aws/policy-simulator.js';

const { Service, Backfill = Service } = await readTemplates();
const FOLDER = new URL('../../schemas/sql/tables/athena/', import.meta.url);

type Column = { readonly Name: string; readonly Type: string };
type TableInput = {
  readonly Name: string;
  readonly PartitionKeys?: readonly Column[];
  readonly Parameters: Readonly<Record<string, string>>;
  readonly StorageDescriptor: { readonly Columns: readonly Column[]; readonly Location: string };
  readonly ViewOriginalText?: string;
};
const tables = Object.values(resourcesOf(Backfill, 'AWS::Glue::Table')).map(
  ({ Properties }) => Properties?.['TableInput'] as TableInput,
);

it('has a table or view for each statement, with the same columns, place and properties', async () => {
  const files = await readdir(FOLDER);
  expect(tables.map(({ Name }) => `${Name}.sql`).sort()).toEqual(files.sort());
  for (const { Name, PartitionKeys = [], StorageDescriptor, Parameters, ViewOriginalText } of tables) {
    const sql = await readFile(new URL(`${Name}.sql`, FOLDER), 'utf8');
    if (ViewOriginalText !== undefined) continue;
    const columns = [...StorageDescriptor.Columns, ...PartitionKeys];
    for (const column of columns) expect(sql).toContain(`\`${column.Name}\` ${column.Type}`);
    expect(columns.length).toBe(sql.match(/`\w+` /g)?.length);
    expect(sql).toContain(`LOCATION '${StorageDescriptor.Location}'`);
    const projection = Object.entries(Parameters).filter(([name]) => name.startsWith('projection.'));
    for (const [name, value] of projection) expect(sql).toContain(`'${name}' = '${value}'`);
    expect(projection.length).toBe(sql.match(/'projection\./g)?.length);
  }
});

it('the view has the SQL of its statement in the form that Athena reads', async () => {
  const view = tables.find(({ Name }) => Name === 'btc_addresses');
  const [, text = ''] = /^\/\* Presto View: (\S+) \*\/$/.exec(view?.ViewOriginalText ?? '') ?? [];
  const { originalSql, ...rest } = JSON.parse(Buffer.from(text, 'base64').toString()) as {
    originalSql: string;
  };
  expect(await readFile(new URL('btc_addresses.sql', FOLDER), 'utf8')).toContain(originalSql);
  expect(rest).toEqual({
    catalog: 'awsdatacatalog',
    schema: 'crd_raw',
    columns: ['date', 'address'].map((name) => ({ name, type: 'varchar' })),
  });
});

it('the workgroup limits every query, and keeps results without a bucket', () => {
  expect(propertiesOf(Backfill, 'AWS::Athena::WorkGroup')).toMatchObject({
    Name: 'crd-backfill',
    WorkGroupConfiguration: {
      BytesScannedCutoffPerQuery: 200e9,
      EnforceWorkGroupConfiguration: true,
      ManagedQueryResultsConfiguration: { Enabled: true },
    },
  });
});

it('the policy can query these tables and write nothing', () => {
  const { PolicyDocument } = propertiesOf(Backfill, 'AWS::IAM::ManagedPolicy');
  const actions = toStatements(PolicyDocument).flatMap((statement) => statement.actions);
  expect(actions.filter((action) => !/:(Get|List|Start|Stop)/.test(action))).toEqual([]);
});

it('an output has what the policy of the backfill needs', () => {
  const [{ Value } = { Value: '' }] = Object.values(Backfill.Outputs ?? {});
  expect(JSON.parse(String(Value))).toEqual({
    kind: 'athena',
    region: 'us-east-2',
    workgroup: 'crd-backfill',
    database: 'crd_raw',
  });
});
