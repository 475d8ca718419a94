import { readFile } from 'node:fs/promises';
import { currentMethodology, glossaryEntries, methodologyTextUrl } from '../../schemas/methodology.js';
import type { ReferenceTexts } from '../core/artifacts/reference-files.js';

/** Reads what the product itself publishes: methodology, its text, and the glossary. */
export async function readProductTexts(): Promise<ReferenceTexts> {
  const methodology = currentMethodology();
  const methodologyText = await readFile(methodologyTextUrl(methodology.version), 'utf8');
  return { methodology, methodologyText, glossary: glossaryEntries() };
}
