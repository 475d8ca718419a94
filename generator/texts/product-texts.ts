import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { currentMethodology, glossaryEntries, methodologyTextUrl } from '../../schemas/methodology.js';
import { wheelPath } from '../../schemas/paths.js';
import { productFile } from '../../schemas/product-file.js';
import { readQuery } from '../../schemas/queries.js';
import type { Site } from '../../schemas/types.generated.js';
import { textsForSite, type ReferenceTexts, type TextDigests } from '../core/draft/site.js';
import { makeWheel } from '../core/artifacts/python-wheel.js';
import type { DayTexts } from '../core/records/day-writers.js';
import { compileClaimTemplate } from '../core/text/claim-template.js';
import { compileTextTemplate, type TextTemplate } from '../core/text/text-template.js';
import { readPythonClient } from './python-client.js';
import { readSiteTexts } from './site-texts.js';

const TEMPLATES = productFile('templates/');
/** The file of `BuiltDigests` in `dist`. */
export const DIGESTS_FILE = 'text-digests.json';

/**
 * Reads the methodology, the glossary and the templates that releases are made from, for a site if one is given. Reads
 * them once per process, and returns the same object for the same site.
 */
export async function readProductTexts(site?: Site): Promise<ReferenceTexts> {
  cached ??= readTexts();
  const texts = await cached;
  if (site === undefined) return texts;
  const key = canonicalJson(site);
  const ofSite = CACHED_BY_SITE.get(key) ?? textsForSite(texts, site);
  CACHED_BY_SITE.set(key, ofSite);
  return ofSite;
}

let cached: Promise<ReferenceTexts> | undefined;
const CACHED_BY_SITE = new Map<string, ReferenceTexts>();

/** Reads only the texts that day records are made from. */
export async function readDayTexts(): Promise<DayTexts> {
  const [claims, markdown] = await Promise.all([
    readTemplate('brief-day-1.claims.json'),
    readTemplate('brief-day-1.md.hbs'),
  ]);
  const brief = {
    claims: compileClaims(claims),
    markdown: compileTextTemplate(markdown),
    source: claims + markdown,
  };
  return { methodology: currentMethodology(), brief };
}

async function readTexts(): Promise<ReferenceTexts> {
  const { methodology, brief } = await readDayTexts();
  const [methodologyText, weeklySummary, notebook] = await Promise.all([
    readFile(methodologyTextUrl(methodology.version), 'utf8'),
    readTemplate('weekly-summary.txt.hbs'),
    readTemplate('starter-notebook.ipynb'),
  ]);
  const python = await readPythonClient(new URL('python/', TEMPLATES));
  return {
    methodology,
    methodologyText,
    glossary: glossaryEntries(),
    weeklySummary: compileTextTemplate(weeklySummary),
    brief,
    notebook,
    queries: await readQueries(),
    python,
    site: await readSiteTexts(TEMPLATES, wheelPath(makeWheel(python).name)),
    ...readDigests(),
  };
}

/** The digests of the texts, as `npm run build` writes them into `dist`. Another engine may compute other numbers. */
export type BuiltDigests = TextDigests & { readonly v8: string };

/** Returns the digests that the build computed, if it ran on the same version of V8; nothing beside the sources. */
function readDigests(): Pick<ReferenceTexts, 'digests'> {
  try {
    const built = JSON.parse(readFileSync(productFile(DIGESTS_FILE), 'utf8')) as BuiltDigests; // the build wrote it
    return built.v8 === process.versions.v8 ? { digests: built } : {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

async function readQueries(): Promise<ReferenceTexts['queries']> {
  const read = CHAIN_IDS.map(async (chain) => [chain, (await readQuery(chain)).text] as const);
  return Object.fromEntries(await Promise.all(read)) as ReferenceTexts['queries']; // one of each
}

function readTemplate(name: string): Promise<string> {
  return readFile(new URL(name, TEMPLATES), 'utf8');
}

function compileClaims(text: string): Map<string, TextTemplate> {
  const claims = Object.entries(JSON.parse(text) as Record<string, string>); // the template is part of the product
  return new Map(claims.map(([name, sentence]) => [name, compileClaimTemplate(sentence)]));
}
