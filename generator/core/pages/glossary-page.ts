import { PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { GlossaryEntry } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { pageFile } from './page.js';
import type { SiteTexts } from './site-texts.js';

/** The kinds of entries in the order of the page, with their headings. */
const HEADINGS: Readonly<Record<GlossaryEntry['kind'], string>> = {
  label: 'Regimes',
  level: 'Levels',
  status: 'Status of a day',
  metric: 'Metrics',
  signal: 'Signals',
  term: 'Terms',
  field: 'Fields of the files',
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
      groups: Object.entries(HEADINGS).map(([kind, heading]) => ({
        id: kind,
        heading,
        entries: glossary
          .filter((entry) => entry.kind === kind)
          .map(({ id, name, definition, unit }) => ({
            id,
            term: name,
            definition,
            unit: unit === null ? [] : [unit],
          })),
      })),
    }),
  });
}
