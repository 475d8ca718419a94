import { PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { GlossaryEntry } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { pageFile } from './page.js';
import type { SiteTexts } from './site-texts.js';

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

/** What an entry of the group of levels describes, by the first part of its id: "high" is a level and a confidence. */
const QUALIFIERS: Readonly<Record<string, string>> = {
  confidence: 'confidence',
  direction: 'direction of a driver',
  level: 'level of an axis or dimension',
  trend: 'trend of a dimension',
};

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
        return { id: group, heading, size: entries.length, entries };
      }),
    }),
  });
}

function groupOf({ id, kind }: GlossaryEntry): Group {
  return id.startsWith('freshness.') ? 'freshness' : kind;
}

function toEntry({ id, kind, name, definition, unit }: GlossaryEntry): object {
  const qualifier = kind === 'level' ? QUALIFIERS[id.split('.')[0] ?? ''] : undefined;
  return {
    id,
    term: name,
    qualifier: qualifier === undefined ? [] : [qualifier],
    definition,
    unit: unit === null ? [] : [unit],
  };
}
