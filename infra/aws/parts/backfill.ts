import { CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../permissions/acknowledge-wildcards.js';
import {
  readAthenaTables,
  type AthenaTable,
  type AthenaView,
  type Column,
} from '../settings/athena-tables.js';
import { bucketArn, objectsArn } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/** The public bucket of the tables. */
const RAW_DATA = 'aws-public-blockchain';
const PARQUET = 'org.apache.hadoop.hive.ql.io.parquet';

/** Tables of the public raw data in Athena, a workgroup that limits each query, and a policy for who runs the backfill. */
export class BackfillPart extends Construct {
  private readonly database: string;

  constructor(
    scope: Construct,
    { name, account }: Parameters,
    { maxGigabytesPerQuery }: NonNullable<Parameters['backfill']>,
  ) {
    super(scope, 'Backfill');
    this.database = `${name.replaceAll('-', '_')}_raw`;
    const workgroup = `${name}-backfill`;
    const database = new CfnDatabase(this, 'Database', {
      catalogId: account,
      databaseInput: { name: this.database, description: 'Public raw data of the chains' },
    });
    const { tables, views } = readAthenaTables();
    const inputs = [...tables.map(toTable), ...views.map((view) => toView(view, this.database))];
    for (const tableInput of inputs) {
      const options = { catalogId: account, databaseName: this.database, tableInput };
      new CfnTable(this, tableInput.name, options).addResourceDependency(database);
    }
    new CfnWorkGroup(this, 'Workgroup', {
      name: workgroup,
      description: 'Backfill of collected metrics',
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        bytesScannedCutoffPerQuery: maxGigabytesPerQuery * 1_000_000_000,
        enforceWorkGroupConfiguration: true,
        engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
        managedQueryResultsConfiguration: { enabled: true }, // encrypted, deleted after a day, and without a bucket
        publishCloudWatchMetricsEnabled: true,
      },
    });
    this.createPolicy(`${name}-backfill`, workgroup);
    new CfnOutput(Stack.of(this), 'Engine', {
      value: JSON.stringify({
        kind: 'athena',
        region: Stack.of(this).region,
        workgroup,
        database: this.database,
      }),
      description: 'The member engine of the policy of the backfill',
    });
  }

  /** Creates a policy for a person or role: query the tables, with their data. */
  private createPolicy(managedPolicyName: string, workgroup: string): void {
    const arnOf = (service: string, resource: string): string =>
      Stack.of(this).formatArn({ service, resource });
    const statements = [
      new PolicyStatement({
        sid: 'Query',
        actions: [
          'GetWorkGroup',
          'StartQueryExecution',
          'GetQueryExecution',
          'GetQueryResults',
          'StopQueryExecution',
        ].map((action) => `athena:${action}`),
        resources: [arnOf('athena', `workgroup/${workgroup}`)],
      }),
      new PolicyStatement({
        sid: 'ReadTables',
        actions: ['glue:GetDatabase', 'glue:GetTable', 'glue:GetTables'],
        resources: [
          arnOf('glue', 'catalog'),
          arnOf('glue', `database/${this.database}`),
          arnOf('glue', `table/${this.database}/*`),
        ],
      }),
      new PolicyStatement({
        sid: 'ReadRawData',
        actions: ['s3:GetObject', 's3:ListBucket'],
        resources: [bucketArn(RAW_DATA), objectsArn(RAW_DATA, '*')],
      }),
    ];
    const policy = new ManagedPolicy(this, 'Policy', { managedPolicyName, statements });
    acknowledgeWildcards(
      policy,
      statements,
      'The tables of one database, and the objects of a public bucket.',
    );
  }
}

type TableInput = CfnTable.TableInputProperty & { readonly name: string };

function toTable({ name, columns, partitions, location, properties }: AthenaTable): TableInput {
  return {
    name,
    tableType: 'EXTERNAL_TABLE',
    partitionKeys: [...partitions],
    parameters: { EXTERNAL: 'TRUE', classification: 'parquet', ...properties },
    storageDescriptor: {
      columns: [...columns],
      location,
      inputFormat: `${PARQUET}.MapredParquetInputFormat`,
      outputFormat: `${PARQUET}.MapredParquetOutputFormat`,
      serdeInfo: { serializationLibrary: `${PARQUET}.serde.ParquetHiveSerDe` },
    },
  };
}

/** Columns of the views, which Glue does not derive from their SQL. */
const VIEW_COLUMNS: readonly Column[] = [
  { name: 'date', type: 'string' },
  { name: 'address', type: 'string' },
];

/** Returns a view in the form in which Athena keeps one: its definition is a comment in base64. */
function toView({ name, sql }: AthenaView, schema: string): TableInput {
  const columns = VIEW_COLUMNS.map((column) => ({ name: column.name, type: 'varchar' }));
  const view = JSON.stringify({ originalSql: sql, catalog: 'awsdatacatalog', schema, columns });
  return {
    name,
    tableType: 'VIRTUAL_VIEW',
    parameters: { presto_view: 'true', comment: 'Presto View' },
    viewOriginalText: `/* Presto View: ${Buffer.from(view).toString('base64')} */`,
    viewExpandedText: '/* Presto View */',
    storageDescriptor: { columns: [...VIEW_COLUMNS], location: '', serdeInfo: {} },
  };
}
