import { methodologyDigest } from '../../../schemas/methodology.js';
import {
  methodologyDataPath,
  methodologyPagePath,
  methodologyTextPath,
  PAGE_PATHS,
  problemPath,
  PUBLIC_PATHS,
} from '../../../schemas/paths.js';
import type { GlossaryEntry, Level, Methodology } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { type TrustedHtml, trustHtml } from '../text/text-template.js';
import { renderMarkdown, renderMarkdownLine } from './markdown-html.js';
import { addressOf, pageFile, type SiteTexts } from './page.js';
import { LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { type ProblemCode, type ProblemDocument, PROBLEMS } from '../../../schemas/problems.js';

const LEVELS: readonly Level[] = ['low', 'normal', 'high'];

/** Returns the page with a methodology's text and the thresholds from its data. */
export function methodologyPage(site: SiteTexts, methodology: Methodology, text: string): FileTemplate {
  const { version, summary, effective_date: effective } = methodology;
  return pageFile(site, {
    path: methodologyPagePath(version),
    template: 'methodology',
    title: `Methodology ${version}`,
    description: `Methodology ${version}. ${summary}`,
    values: () => {
      const { heading, opening, body, headings } = renderMarkdown(text);
      return {
        heading,
        opening: linkPaths(opening),
        body,
        pressures: LEVELS,
        demands: LEVELS.toReversed().map((level) => ({
          level,
          cells: LEVELS.map((pressure) => {
            const label = methodology.labels[level][pressure];
            return { label, meaning: LABEL_MEANINGS[label] };
          }),
        })),
        contents: headings.filter(({ level }) => level === 2),
        thresholds: thresholdTables(methodology),
        textPath: methodologyTextPath(version),
        dataPath: methodologyDataPath(version),
        digest: methodologyDigest(methodology),
        effective,
      };
    },
  });
}

/** Makes links of the paths of files in a text. A path with a placeholder stays as it is. */
function linkPaths(html: TrustedHtml): TrustedHtml {
  return trustHtml(String(html).replace(/<code>(\/[\w/.-]+)<\/code>/g, '<a href="$1"><code>$1</code></a>'));
}

/** A member of the methodology's data with its value. */
type ThresholdRow = { readonly name: string; readonly value: string };

/** The rows of one group, named after its top-level member. */
type ThresholdTable = { readonly group: string; readonly rows: readonly ThresholdRow[] };

/** Members that are not thresholds: metadata and formulas. */
const EXCLUDED: ReadonlySet<string> = new Set([
  'schema',
  'version',
  'effective_date',
  'summary',
  'quantities',
]);
/** Members that identify an element of a list. */
const NAMES = ['signal', 'level', 'dimension'] as const;

/** Returns all thresholds of a methodology: one table per top-level member, with single numbers together in the first. */
export function thresholdTables(methodology: Methodology): ThresholdTable[] {
  const members = Object.entries(methodology).filter(([name]) => !EXCLUDED.has(name));
  const isSingle = (value: unknown): boolean => typeof value !== 'object';
  const single = members
    .filter(([, value]) => isSingle(value))
    .flatMap(([name, value]) => flatten(value, name));
  const groups = members
    .filter(([, value]) => !isSingle(value))
    .map(([group, value]) => ({ group, rows: flatten(value, '') }));
  return single.length === 0 ? groups : [{ group: 'limits', rows: single }, ...groups];
}

function flatten(value: unknown, name: string): ThresholdRow[] {
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) {
    return [{ name, value: value.map(String).join(', ') }];
  }
  if (typeof value !== 'object' || value === null) return [{ name, value: String(value) }];
  const entries = Array.isArray(value) ? value.map(toNamed) : Object.entries(value);
  return entries.flatMap(([key, each]) => flatten(each, name === '' ? key : `${name}.${key}`));
}

/** Returns a list element under the name that identifies it, without that member; otherwise under its position. */
function toNamed(value: unknown, i: number): [string, unknown] {
  const record = value as Readonly<Record<string, unknown>>; // `flatten` handled the lists of plain values before
  const member = NAMES.find((each) => typeof record[each] === 'string');
  if (member === undefined) return [String(i + 1), value];
  const { [member]: name, ...rest } = record;
  return [String(name), rest];
}

type Group = GlossaryEntry['kind'] | 'freshness';

/** The groups of entries in the order of the page, with their headings. */
const HEADINGS: Readonly<Record<Group, string>> = {
  label: 'Regimes',
  level: 'Levels, directions and trends',
  status: 'Status of a day',
  freshness: 'Freshness of a chain',
  metric: 'Metrics',
  signal: 'Signals',
  term: 'Terms',
  field: 'Fields of the files',
};

/** What a level or a term describes, by the first part of its id: "high" is a level and a confidence. */
const QUALIFIERS: Readonly<Record<string, string>> = {
  axis: 'axis',
  dimension: 'dimension',
  confidence: 'confidence',
  direction: 'direction of a driver',
  level: 'level of an axis or dimension',
  trend: 'trend of a dimension',
};

/** Longer groups of the glossary are closed at first. */
const MOST_OPEN = 10;

/** Returns the page with every term, metric, label and field. */
export function glossaryPage(site: SiteTexts, glossary: readonly GlossaryEntry[]): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.glossary,
    template: 'glossary',
    title: 'Glossary',
    description: 'What each regime, metric, signal, term and field means.',
    values: () => ({
      data: PUBLIC_PATHS.glossary,
      groups: Object.entries(HEADINGS).map(([group, heading]) => {
        const entries = glossary.filter((entry) => groupOf(entry) === group).map(toEntry);
        const open = entries.length <= MOST_OPEN ? ['open'] : [];
        return { id: group, heading, size: entries.length, entries, open };
      }),
    }),
  });
}

function groupOf({ id, kind }: GlossaryEntry): Group {
  return id.startsWith('freshness.') ? 'freshness' : kind;
}

function toEntry({ id, kind, name, definition, unit }: GlossaryEntry): object {
  const hasQualifier = kind === 'level' || kind === 'term';
  const qualifier = hasQualifier ? QUALIFIERS[id.split('.')[0] ?? ''] : undefined;
  return {
    id,
    term: name,
    qualifier: qualifier === undefined ? [] : [qualifier],
    definition,
    unit: unit === null ? [] : [unit],
  };
}

const CODES = Object.keys(PROBLEMS) as ProblemCode[]; // Object.keys loses the key type

/** Returns one page per problem, at the path used as its `type`. */
export function problemPages(site: SiteTexts): FileTemplate[] {
  return CODES.map((code) => {
    const { status, title, meaning, remedy } = PROBLEMS[code];
    return pageFile(site, {
      path: problemPath(code),
      template: 'problem',
      title: `${status} ${code}: ${title}`,
      description: `The problem ${code}, HTTP status ${status}: ${meaning}`,
      values: () => ({
        heading: title,
        code,
        status,
        meaning: renderMarkdownLine(meaning),
        remedy,
        example: JSON.stringify(toDocument(code), null, 2),
        problems: CODES.map((each) => ({
          code: each,
          path: problemPath(each),
          current: each === code ? ['page'] : [],
          status: PROBLEMS[each].status,
          title: PROBLEMS[each].title,
        })),
      }),
    });
  });
}

/** Returns an example of the problem document. */
function toDocument(code: ProblemCode): ProblemDocument {
  const { status, title, meaning } = PROBLEMS[code];
  return { type: problemPath(code), title, status, detail: meaning, instance: '0f0e6c9e', code };
}

/** Placeholder for the trust anchor in commands. The script of the page replaces it with the reader's. */
const ANCHOR = 'SITE#THUMBPRINT';

/** The steps of verification in their order. The script of the page finds each by its id. */
const STEPS = [
  { id: 'keys', name: 'Key set', words: 'Signed by the root key in your trust anchor, and not expired.' },
  {
    id: 'timestamp',
    name: 'Timestamp',
    words: 'Names the newest release, and is at most 48 hours old.',
  },
  {
    id: 'release',
    name: 'Release',
    words: 'Signed by a key in the key set, and the same release that the timestamp names.',
  },
  { id: 'history', name: 'List of releases', words: 'The list of all releases matches its signed digest.' },
  { id: 'files', name: 'Public files', words: 'Each has the digest that the signed release lists.' },
];

/** Returns the page on which readers verify the site in their browser. */
export function verifyPage(site: SiteTexts): FileTemplate {
  const address = addressOf(site.details?.base_url);
  return pageFile(site, {
    path: PAGE_PATHS.verify,
    template: 'verify',
    title: 'Verify this site',
    description: 'Check in your browser that every public file of this site is what its publisher signed.',
    scripts: [site.verifyScript],
    values: () => ({
      steps: STEPS,
      docs: PAGE_PATHS.docs,
      commands: [
        {
          words: 'The Python client verifies the site, or a folder that it has mirrored:',
          label: 'Verify with the Python client',
          text: `crd verify ${address} --trust '${ANCHOR}'`,
        },
        {
          words:
            'In a built checkout, the generator verifies a store or a copy of it, with all subscriber files:',
          label: 'Verify with the generator',
          text: `npx crd-generator verify --store file:PATH --trust '${ANCHOR}'`,
        },
      ],
    }),
  });
}
