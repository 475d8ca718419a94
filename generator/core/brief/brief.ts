import type { BriefFact, Methodology } from '../../../schemas/types.generated.js';
import { changeSection } from './change-section.js';
import { daySection, missingSection } from './day-section.js';
import { confidenceSection, driversSection } from './evidence-sections.js';
import type { DayRecords } from './facts.js';
import { createNarrator, type BriefTemplates } from './narrator.js';
import { headlineOf, stateSection } from './state-section.js';

/** The texts of a brief and the facts they use. */
type Brief = {
  readonly headline: string;
  readonly body: string;
  readonly markdown: string;
  readonly facts: BriefFact[];
};

/** Writes the brief of one chain-day, using only its records. */
export function writeBrief(records: DayRecords, methodology: Methodology, templates: BriefTemplates): Brief {
  const narrator = createNarrator(records, templates.claims);
  const headline = headlineOf(narrator).join(' ');
  const sections = [
    { title: 'State', sentences: stateSection(narrator, methodology) },
    { title: 'What changed', sentences: changeSection(narrator) },
    { title: 'The day in numbers', sentences: daySection(narrator) },
    { title: 'Drivers', sentences: driversSection(narrator) },
    { title: 'Confidence', sentences: confidenceSection(narrator, methodology) },
    { title: 'Missing data', sentences: missingSection(narrator) },
  ]
    .filter(({ sentences }) => sentences.length > 0)
    .map(({ title, sentences }) => ({ title, text: sentences.join(' ') }));
  return {
    headline,
    body: sections.map(({ text }) => text).join('\n\n'),
    markdown: templates.markdown({ headline, sections }),
    facts: narrator.facts(),
  };
}
