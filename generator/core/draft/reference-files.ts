import { CHAIN_IDS } from '../../../schemas/catalog.js';
import {
  examplePath,
  methodologyDataPath,
  methodologyTextPath,
  PUBLIC_PATHS,
  queryPath,
  wheelPath,
} from '../../../schemas/paths.js';
import { methodologyDigest } from '../../../schemas/methodology.js';
import { openApiDocument } from '../../../schemas/openapi.js';
import type {
  Chain,
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
  ZIP_TYPE,
  jsonContent,
  textContent,
  type FileTemplate,
} from '../artifacts/artifact.js';
import { makeWheel, type PythonClient } from '../artifacts/python-wheel.js';
import type { BriefTemplates } from '../brief/narrator.js';
import { referencePages, renderOnce } from './reference-pages.js';
import { tableSchemaFiles } from './table-schemas.js';
import type { SiteTexts } from '../pages/site-texts.js';
import type { TextTemplate } from '../text/text-template.js';

/** Texts of the product itself: the same for every chain and release until the product changes. */
export type ReferenceTexts = {
  readonly methodology: Methodology;
  readonly methodologyText: string;
  readonly glossary: readonly GlossaryEntry[];
  readonly weeklySummary: TextTemplate;
  readonly brief: BriefTemplates;
  readonly site: SiteTexts;
  /** The starter notebook, nbformat 4.5. */
  readonly notebook: string;
  /** The Python client. */
  readonly python: PythonClient;
  /** The SQL that computes the metrics of each chain from public raw data. */
  readonly queries: Readonly<Record<Chain, string>>;
};

/** The files of the texts that were used before: they do not change while the program runs. */
const MADE = new WeakMap<ReferenceTexts, readonly FileTemplate[]>();

/** Returns the public files that depend only on the product. */
export function referenceFiles(texts: ReferenceTexts): readonly FileTemplate[] {
  const files = MADE.get(texts) ?? [
    ...stampedFiles(texts),
    ...fixedFiles(texts).map(renderOnce),
    ...referencePages(texts),
  ];
  MADE.set(texts, files);
  return files;
}

/** Returns the files that name a release. Add a new one here, and its path in `schemas/paths.ts`. */
function stampedFiles({ glossary, methodology }: ReferenceTexts): FileTemplate[] {
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
    ...tableSchemaFiles(methodology),
  ];
}

/** Returns the files that are the same in every release. Add a new one here, and its path in `schemas/paths.ts`. */
function fixedFiles(texts: ReferenceTexts): FileTemplate[] {
  const { methodology, methodologyText, notebook, queries, site } = texts;
  const { version } = methodology;
  return [
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
    wheelFile(texts.python),
  ];
}

function wheelFile(client: PythonClient): FileTemplate {
  const { name, bytes, record } = makeWheel(client);
  return {
    path: wheelPath(name),
    type: ZIP_TYPE,
    content: () => ({ schema: 'text', value: record, text: '', bytes }),
  };
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
