/**
 * The site: the public files that depend only on the version of the generator and on `site.json`, not on the data, such as
 * guides, reference pages, scripts and the wheel.
 * - A release record names all of them by one digest: that of the file at `PAGE_PATHS.siteFiles`, which lists them.
 * - Their bytes name no release, so that releases share them.
 * - They are rendered only when the texts (`siteTextsDigest`) or `site.json` differ from those of the published site, or
 *   when everything is compared.
 * - Files that depend on the version but name the release that last changed them follow the site, and are listed one by one.
 */
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { methodologyDigest } from '../../../schemas/methodology.js';
import { openApiDocument } from '../../../schemas/openapi.js';
import {
  examplePath,
  methodologyDataPath,
  methodologyTextPath,
  PAGE_PATHS,
  PUBLIC_PATHS,
  queryPath,
  wheelPath,
} from '../../../schemas/paths.js';
import type {
  Chain,
  Glossary,
  GlossaryEntry,
  Methodology,
  MethodologyVersions,
  ReleaseRecord,
  Site,
  SiteFiles,
  Thresholds,
} from '../../../schemas/types.generated.js';
import {
  bodyOf,
  CSS_TYPE,
  JS_TYPE,
  JSON_TYPE,
  jsonContent,
  MARKDOWN_TYPE,
  NOTEBOOK_TYPE,
  PLAIN_TYPE,
  PNG_TYPE,
  SVG_TYPE,
  textContent,
  ZIP_TYPE,
  type Content,
  type FileTemplate,
  type ReleaseStamp,
} from '../artifacts/artifact.js';
import { makeWheel, type PythonClient } from '../artifacts/python-wheel.js';
import type { BriefTemplates } from '../brief/narrator.js';
import { embedPage } from '../pages/metrics-page.js';
import { apiPage, operationPages, schemasPage } from '../pages/api-pages.js';
import { docsList, docsPage, examplePages, guidePages } from '../pages/docs-pages.js';
import { searchIndex, searchPage } from '../pages/search-index.js';
import { dayFrame } from '../pages/chain-page.js';
import { pricingPage } from '../pages/pricing-page.js';
import { glossaryPage, methodologyPage, problemPages, verifyPage } from '../pages/site-pages.js';
import { addressOf, type SiteAsset, type SiteTexts } from '../pages/page.js';
import type { TextTemplate } from '../text/text-template.js';
import { settleFile, type SettledFile } from './settle-file.js';
import { tableSchemaFiles } from './table-schemas.js';

/** Texts of the product itself: the same for every chain and release until the product changes. */
export type ReferenceTexts = {
  readonly methodology: Methodology;
  readonly methodologyText: string;
  readonly glossary: readonly GlossaryEntry[];
  readonly weeklySummary: TextTemplate;
  readonly weeklyArchive: TextTemplate;
  readonly brief: BriefTemplates;
  readonly site: SiteTexts;
  /** The starter notebook, nbformat 4.5. */
  readonly notebook: string;
  /** The Python client. */
  readonly python: PythonClient;
  /** The SQL that computes the metrics of each chain from public raw data. */
  readonly queries: Readonly<Record<Chain, string>>;
  /** The texts before they were filled in for a site; absent if they were not. */
  readonly base?: ReferenceTexts;
  /** Digests that the build computed; absent in a program that runs from its sources. */
  readonly digests?: TextDigests;
};

/** Digests of what the code makes of the texts: see `writersFingerprint` and `siteTextsDigest`. */
export type TextDigests = { readonly writersSha256: string; readonly siteTextsSha256: string };

/** The address in the texts as they are written: a gateway on this machine with the default port. */
const WRITTEN_ADDRESS = 'http://127.0.0.1:8080';
/** What follows it where a text explains it. */
const THIS_MACHINE = ' (this machine)';

/** Returns the texts of a site: the notebook, the example programs and the guides use its address. */
export function textsForSite(texts: ReferenceTexts, details: Site | undefined): ReferenceTexts {
  const address = addressOf(details?.base_url);
  const known = address.startsWith('http:') ? THIS_MACHINE : ''; // only loopback may be http
  const place = details === undefined ? ' (replace it with yours)' : known;
  const fill = (text: string): string =>
    text
      .split(WRITTEN_ADDRESS)
      .map((part, i) =>
        i > 0 && part.startsWith(THIS_MACHINE) ? place + part.slice(THIS_MACHINE.length) : part,
      )
      .join(address);
  return {
    ...texts,
    base: texts.base ?? texts,
    notebook: fill(texts.notebook),
    site: {
      ...texts.site,
      ...(details === undefined ? {} : { details }),
      examples: texts.site.examples.map(({ name, text }) => ({ name, text: fill(text) })),
      guides: fillGuides(texts.site.guides, fill),
    },
  };
}

function fillGuides(guides: SiteTexts['guides'], fill: (text: string) => string): SiteTexts['guides'] {
  const filled = Object.entries(guides).map(([name, { text, codes }]) => [
    name,
    { text: fill(text), codes: codes.map((code) => ({ ...code, text: fill(code.text) })) },
  ]);
  return Object.fromEntries(filled) as SiteTexts['guides']; // the same names
}

/** The files of texts that were used before: they do not change while the program runs. */
const MADE = new WeakMap<ReferenceTexts, readonly FileTemplate[]>();

/** Returns the files of the site. Add a new one here, and its path in `schemas/page-paths.ts` or `schemas/paths.ts`. */
export function siteFiles(texts: ReferenceTexts): readonly FileTemplate[] {
  const files = MADE.get(texts) ?? listSiteFiles(texts).map(renderOnce);
  MADE.set(texts, files);
  return files;
}

function listSiteFiles(texts: ReferenceTexts): FileTemplate[] {
  const { methodology, methodologyText, glossary, notebook, queries, site } = texts;
  const { version } = methodology;
  const pages = textPages(texts).map(renderOnce);
  const asset = (type: string, { path, text }: SiteAsset): FileTemplate => ({
    path,
    type,
    content: () => textContent(text),
  });
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
    asset(CSS_TYPE, site.stylesheet),
    asset(JS_TYPE, site.script),
    asset(JS_TYPE, site.searchScript),
    asset(JS_TYPE, site.metricsScript),
    asset(JS_TYPE, site.verifyScript),
    asset(SVG_TYPE, { path: PAGE_PATHS.icon, text: site.icon }),
    {
      path: PAGE_PATHS.card,
      type: PNG_TYPE,
      content: () => ({ schema: 'text', value: 'a picture\n', text: '', bytes: site.card }),
    },
    ...pages,
    searchPage(site, docsList(site, PAGE_PATHS.search)),
    searchIndex([...pages, pricingPage(site, undefined)], glossary),
    dayFrame(site),
    ...CHAIN_IDS.map((chain) => embedPage(site, chain)),
  ];
}

/** Returns the pages of texts, in which a reader can search. */
function textPages({ methodology, methodologyText, glossary, site }: ReferenceTexts): FileTemplate[] {
  return [
    docsPage(site),
    ...guidePages(site),
    ...examplePages(site),
    apiPage(site),
    schemasPage(site, glossary),
    ...operationPages(site, glossary),
    methodologyPage(site, methodology, methodologyText),
    glossaryPage(site, glossary),
    verifyPage(site),
    ...problemPages(site),
  ];
}

/** Returns the template with its content cached after the first call. The content must not depend on the release. */
function renderOnce(template: FileTemplate): FileTemplate {
  let rendered: Content | undefined;
  return { ...template, content: (stamp: ReleaseStamp) => (rendered ??= template.content(stamp)) };
}

/** Returns the files that follow the site but name the release that last changed them. Add a new one here, and its path in `schemas/paths.ts`. */
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

/** Sites that `siteTextsDigest` renders: none, one with every member, and one of a machine with other forms of them. */
const PROBE_SITES: readonly (Site | undefined)[] = [
  undefined,
  {
    name: 'Probe',
    base_url: 'https://probe.example.com',
    contact: 'probe@example.com',
    terms_url: 'https://probe.example.com/terms',
    privacy_url: 'https://probe.example.com/privacy',
    publisher: 'Probe Ltd',
    sign_up_url: 'https://probe.example.com/sign-up',
    notice: 'A probe.',
    refunds: 'No refunds.',
    invoices: 'By mail.',
    redistribution: 'Charts.',
  },
  { name: 'Probe & <Son>', base_url: 'http://127.0.0.1:1', contact: 'https://probe.example.com/contact' },
];
const PROBE_STAMP: ReleaseStamp = {
  revision: '2000-01-01.000001',
  sequence: 1,
  publishedAt: '2000-01-01T00:00:00Z',
};

/**
 * Returns a digest of what the code makes of the texts for built-in sites. While it and `site.json` are unchanged, the site is
 * not rendered; a change that those sites do not show needs `--full`.
 */
export function siteTextsDigest(texts: ReferenceTexts): string {
  if (texts.digests !== undefined) return texts.digests.siteTextsSha256;
  const base = texts.base ?? texts;
  const digest = DIGESTS.get(base) ?? sha256Hex(PROBE_SITES.map((site) => probeSite(base, site)).join(''));
  DIGESTS.set(base, digest);
  return digest;
}

const DIGESTS = new WeakMap<ReferenceTexts, string>();

function probeSite(base: ReferenceTexts, site: Site | undefined): string {
  const texts = textsForSite(base, site);
  const files = [...siteFiles(texts), ...stampedFiles(texts)];
  return sha256Hex(
    files
      .map(({ path, type, content }) => `${path}\n${type}\n${sha256Hex(bodyOf(content(PROBE_STAMP)))}\n`)
      .join(''),
  );
}

/** The published site, and the record of its release. */
type PublishedSite = { readonly record: ReleaseRecord; readonly site?: SiteFiles | undefined };

/** The site of the next release: its list, and the files that change. `changed` is empty if it stays as it is published. */
export type SettledSite = { readonly site: SiteFiles; readonly changed: readonly SettledFile[] };

/** Decides whether the published site stays, and otherwise which of its files change. `full` renders it in any case. */
export function settleSite(
  texts: ReferenceTexts,
  published: PublishedSite | undefined,
  stamp: ReleaseStamp,
  full: boolean,
): SettledSite {
  const textsSha256 = siteTextsDigest(texts);
  const record = published?.record;
  const before = published?.site;
  const isSame =
    before?.texts_sha256 === textsSha256 &&
    canonicalJson(record?.site ?? null) === canonicalJson(texts.site.details ?? null);
  if (before !== undefined && isSame && !full) return { site: before, changed: [] };
  const settled = siteFiles(texts).map((file) => settleFile(file, record, stamp));
  const site: SiteFiles = {
    schema: 'site-files/1',
    texts_sha256: textsSha256,
    files: Object.fromEntries(
      settled.map(({ path, type, entry: { sha256, bytes } }) => [path, { sha256, bytes, type }]),
    ),
  };
  const list = settleFile(
    { path: PAGE_PATHS.siteFiles, type: JSON_TYPE, content: () => jsonContent('site-files', site) },
    record,
    stamp,
  );
  const { revision } = list.entry;
  const files = settled.map((file) => ({ ...file, entry: { ...file.entry, revision } }));
  const stamped = stampedFiles(texts).map((file) => settleFile(file, record, stamp));
  return { site, changed: [list, ...files, ...stamped] };
}
