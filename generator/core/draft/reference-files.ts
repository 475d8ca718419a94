import { CHAIN_IDS } from '../../../schemas/catalog.js';
import {
  examplePath,
  methodologyDataPath,
  methodologyTextPath,
  PUBLIC_PATHS,
  queryPath,
} from '../../../schemas/paths.js';
import { methodologyDigest } from '../../../schemas/methodology.js';
import { openApiDocument } from '../../../schemas/openapi.js';
import type {
  Chain,
  FeatureSchema,
  Glossary,
  GlossaryEntry,
  Methodology,
  MethodologyVersions,
  Thresholds,
} from '../../../schemas/types.generated.js';
import {
  JSON_TYPE,
  MARKDOWN_TYPE,
  NOTEBOOK_TYPE,
  PLAIN_TYPE,
  jsonContent,
  textContent,
  type FileTemplate,
} from '../artifacts/artifact.js';
import type { BriefTemplates } from '../brief/narrator.js';
import type { ChartRenderer } from '../artifacts/chart-files.js';
import { referencePages } from './reference-pages.js';
import type { SiteTexts } from '../pages/site-texts.js';
import { CALENDAR_FIELDS } from '../artifacts/regime-calendar.js';
import type { TextTemplate } from '../text/text-template.js';

/** Texts of the product itself: the same for every chain and release until the product changes. */
export type ReferenceTexts = {
  readonly methodology: Methodology;
  readonly methodologyText: string;
  readonly glossary: readonly GlossaryEntry[];
  readonly weeklySummary: TextTemplate;
  readonly brief: BriefTemplates;
  readonly charts: ChartRenderer;
  readonly site: SiteTexts;
  /** The starter notebook, nbformat 4.5. */
  readonly notebook: string;
  /** The SQL that computes the metrics of each chain from public raw data. */
  readonly queries: Readonly<Record<Chain, string>>;
};

/** Returns the public files that depend only on the product. Add a new one here, and its path in `schemas/paths.ts`. */
export function referenceFiles(texts: ReferenceTexts): FileTemplate[] {
  const { methodology, methodologyText, glossary, notebook, queries, site } = texts;
  const { version } = methodology;
  return [
    {
      path: PUBLIC_PATHS.glossary,
      type: JSON_TYPE,
      content: ({ revision }) => {
        const value: Glossary = {
          schema: 'glossary/1',
          published_revision: revision,
          entries: [...glossary],
        };
        return jsonContent('glossary', value);
      },
    },
    {
      path: PUBLIC_PATHS.thresholds,
      type: JSON_TYPE,
      content: ({ revision }) => jsonContent('thresholds', toThresholds(methodology, revision)),
    },
    {
      path: PUBLIC_PATHS.methodologyVersions,
      type: JSON_TYPE,
      content: ({ revision }) => jsonContent('methodology-versions', toVersions(methodology, revision)),
    },
    {
      path: methodologyDataPath(version),
      type: JSON_TYPE,
      content: () => jsonContent('methodology', methodology),
    },
    {
      path: PUBLIC_PATHS.openapi,
      type: JSON_TYPE,
      content: () => jsonContent('openapi', openApiDocument(site.details)),
    },
    { path: methodologyTextPath(version), type: MARKDOWN_TYPE, content: () => textContent(methodologyText) },
    {
      path: PUBLIC_PATHS.featureSchema,
      type: JSON_TYPE,
      content: ({ revision }) => jsonContent('feature-schema', toFeatureSchema(version, revision)),
    },
    { path: PUBLIC_PATHS.starterNotebook, type: NOTEBOOK_TYPE, content: () => textContent(notebook) },
    ...CHAIN_IDS.map((chain) => ({
      path: queryPath(chain),
      type: PLAIN_TYPE,
      content: () => textContent(queries[chain]),
    })),
    ...site.examples.map(({ name, text }) => ({
      path: examplePath(name),
      type: PLAIN_TYPE,
      content: () => textContent(text),
    })),
    ...referencePages(texts),
  ];
}

function toThresholds(methodology: Methodology, revision: string): Thresholds {
  return {
    schema: 'thresholds/1',
    published_revision: revision,
    methodology_version: methodology.version,
    methodology_sha256: methodologyDigest(methodology),
    defaults: methodology,
  };
}

function toVersions(methodology: Methodology, revision: string): MethodologyVersions {
  const { version, effective_date, summary } = methodology;
  return {
    schema: 'methodology-versions/1',
    published_revision: revision,
    current: version,
    versions: [
      {
        version,
        effective_date,
        summary,
        sha256: methodologyDigest(methodology),
        path: methodologyDataPath(version),
        text_path: methodologyTextPath(version),
      },
    ],
  };
}

function toFeatureSchema(version: string, revision: string): FeatureSchema {
  return {
    $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
    schema: 'feature-schema/1',
    published_revision: revision,
    methodology_version: version,
    title: 'Regime calendar',
    description: 'One row per chain and UTC date: the regime of the day, its confidence, and what drives it.',
    fields: CALENDAR_FIELDS.map((field) => ({ ...field })),
    missingValues: [''],
    primaryKey: ['date', 'chain'],
    join_key: ['date', 'chain'],
    dialect: { delimiter: ',', lineTerminator: '\n', quoteChar: '"', header: true },
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
}
