import { readFile } from 'node:fs/promises';
import { currentMethodology, glossaryEntries, methodologyTextUrl } from '../../schemas/methodology.js';
import type { ReferenceTexts } from '../core/artifacts/reference-files.js';
import { readSiteTexts } from './site-texts.js';
import { compileTextTemplate } from '../core/artifacts/text-template.js';

const TEMPLATES = new URL('../../templates/', import.meta.url);

/** Reads what the product itself publishes: methodology, its text, the glossary, and templates. Once for a process. */
export function readProductTexts(): Promise<ReferenceTexts> {
  read ??= readTexts();
  return read;
}

let read: Promise<ReferenceTexts> | undefined;

async function readTexts(): Promise<ReferenceTexts> {
  const methodology = currentMethodology();
  const methodologyText = await readFile(methodologyTextUrl(methodology.version), 'utf8');
  const weeklySummary = compileTextTemplate(
    await readFile(new URL('weekly-summary.txt.hbs', TEMPLATES), 'utf8'),
  );
  return {
    methodology,
    methodologyText,
    glossary: glossaryEntries(),
    weeklySummary,
    site: await readSiteTexts(TEMPLATES),
  };
}
