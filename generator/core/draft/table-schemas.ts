import { CHAIN_IDS, CHAINS, VOLUME_GENRES, type VolumeGenre } from '../../../schemas/catalog.js';
import { PUBLIC_PATHS, volumeSchemaPath } from '../../../schemas/paths.js';
import type { Chain, FeatureField, FeatureSchema, Methodology } from '../../../schemas/types.generated.js';
import { capitalized } from '../../../schemas/words.js';
import { JSON_TYPE, jsonContent, type FileTemplate } from '../artifacts/artifact.js';
import { CALENDAR_FIELDS } from '../artifacts/regime-calendar.js';
import { type Column, columnsOf, type VersionRow } from '../volumes/columns.js';

/** Returns the Table Schemas of the regime calendar and of the volumes. */
export function tableSchemaFiles(methodology: Methodology): FileTemplate[] {
  const { version } = methodology;
  return [
    schemaFile(PUBLIC_PATHS.featureSchema, version, CALENDAR),
    ...VOLUME_GENRES.flatMap((genre) =>
      CHAIN_IDS.map((chain) =>
        schemaFile(volumeSchemaPath(genre, chain), version, describeVolumes(genre, chain, methodology)),
      ),
    ),
  ];
}

/** How the tables are written as CSV. */
export const CSV_DIALECT = { delimiter: ',', lineTerminator: '\n', quoteChar: '"', header: true } as const;
/** The cells without a value. */
export const MISSING_VALUES = [''];

/** What differs between the tables. */
type Description = Pick<
  FeatureSchema,
  'version' | 'changes' | 'title' | 'description' | 'fields' | 'primaryKey' | 'safe_uses' | 'unsafe_uses'
>;

function schemaFile(path: string, version: string, table: Description): FileTemplate {
  return {
    path,
    type: JSON_TYPE,
    content: ({ revision }) => {
      const schema: FeatureSchema = {
        $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
        schema: 'feature-schema/1',
        published_revision: revision,
        methodology_version: version,
        ...table,
        missingValues: MISSING_VALUES,
        join_key: ['date', 'chain'],
        dialect: CSV_DIALECT,
      };
      return jsonContent('feature-schema', schema);
    },
  };
}

/** The table of a regime calendar. */
export const CALENDAR: Description = {
  version: 2,
  changes: [
    {
      version: 2,
      description:
        'demand_level and pressure_level were added at the end. confidence is empty, not 0, where the regime is indeterminate.',
    },
  ],
  title: 'Regime calendar',
  description: 'One row per chain and UTC date: the regime of the day, its confidence, and what drives it.',
  fields: CALENDAR_FIELDS.map((field) => ({ ...field })),
  primaryKey: ['date', 'chain'],
  safe_uses: [
    'Join on date and chain with your own daily data.',
    'Group or filter a metric by regime, and report how many days each group has.',
    'Filter by confidence: it means the same thing for every label.',
    'Use the row of a date from the moment it is published: it does not depend on later dates.',
  ],
  unsafe_uses: [
    'Using the row of a date as if it had been known before that date ended and the row was published.',
    'Reading a label as a forecast, a price statement or advice.',
    'Treating indeterminate, or an empty cell, as a regime or a zero.',
    'Mixing rows of different published revisions without checking determinism_hash.',
  ],
};

function describeVolumes(genre: VolumeGenre, chain: Chain, methodology: Methodology): Description {
  return {
    version: 1,
    changes: [],
    title: `Volumes of ${genre}, ${CHAINS[chain].name}`,
    description:
      'One row for each UTC date, version and status: closed years, and closed months of the year after them.',
    fields: columnsOf(genre, chain, methodology).map(toField),
    primaryKey: ['date', 'chain', 'in_force_from'],
    safe_uses: [
      'Keep the rows without in_force_until: they are what the service says now.',
      'For what was known at a revision, keep the rows that began at it or before, and ended after it or not at all.',
      'Join on date and chain with your own daily data.',
    ],
    unsafe_uses: [
      'Counting dates without choosing a version: a corrected date has several rows.',
      'Reading rows with backfilled true as if they had been known on their day.',
      'Treating an empty cell as zero.',
    ],
  };
}

function toField({ name, type, unit, description, required }: Column<VersionRow>): FeatureField {
  return {
    name,
    type,
    title: titleOf(name),
    description,
    ...(unit === undefined ? {} : { unit }),
    ...(type === 'date' ? { format: '%Y-%m-%d' } : {}),
    constraints: required === true ? { required } : {},
  };
}

function titleOf(name: string): string {
  return capitalized(name.replaceAll('_', ' '));
}
