import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { CHAIN_IDS, EXAMPLE_NAMES, GUIDE_NAMES } from '../../schemas/catalog.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { currentMethodology, glossaryEntries, methodologyTextUrl } from '../../schemas/methodology.js';
import { assetPath, wheelPath } from '../../schemas/paths.js';
import { productFile } from '../../schemas/product-file.js';
import { readQuery } from '../../schemas/queries.js';
import type { Site } from '../../schemas/types.generated.js';
import { type ReferenceTexts, type TextDigests, textsForSite } from '../core/draft/site.js';
import { makeWheel, type PythonClient } from '../core/artifacts/python-wheel.js';
import type { DayTexts } from '../core/records/day-writers.js';
import {
  compileClaimTemplate,
  compileHtmlTemplates,
  compileTextTemplate,
  type TextTemplate,
} from '../core/text/text-template.js';
import { nameByContent } from '../../schemas/digest.js';
import { chartCss, figureCss } from '../core/charts/chart-style.js';
import {
  type ExampleText,
  type GuideText,
  type GuideTextName,
  PAGE_TEMPLATES,
  type PageTemplate,
  type SiteAsset,
  type SiteTexts,
} from '../core/pages/page.js';

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
  const key = site === undefined ? '' : canonicalJson(site);
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
  const [methodologyText, weeklySummary, weeklyArchive, notebook] = await Promise.all([
    readFile(methodologyTextUrl(methodology.version), 'utf8'),
    readTemplate('weekly-summary.txt.hbs'),
    readTemplate('weekly-archive.txt.hbs'),
    readTemplate('starter-notebook.ipynb'),
  ]);
  const python = await readPythonClient(new URL('python/', TEMPLATES));
  return {
    methodology,
    methodologyText,
    glossary: glossaryEntries(),
    weeklySummary: compileTextTemplate(weeklySummary),
    weeklyArchive: compileTextTemplate(weeklyArchive),
    brief,
    notebook,
    queries: await readQueries(),
    python,
    site: await readSiteTexts(TEMPLATES, wheelPath(makeWheel(python).name)),
    ...readDigests(),
  };
}

/** The digests of the texts, as `npm run build` writes them into `dist`. Another engine or processor may compute other numbers. */
export type BuiltDigests = TextDigests & { readonly v8: string; readonly arch: string };

/** Returns the digests that the build computed, if it ran on the same version of V8 and kind of processor; nothing beside the sources. */
function readDigests(): Pick<ReferenceTexts, 'digests'> {
  try {
    const built = JSON.parse(readFileSync(productFile(DIGESTS_FILE), 'utf8')) as BuiltDigests; // the build wrote it
    const isSame = built.v8 === process.versions.v8 && built.arch === process.arch;
    return isSame ? { digests: built } : {};
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

/** Reads the templates, style sheet, script, icon, card, examples and guides of the pages. `wheel` is the path of the Python client. */
async function readSiteTexts(templates: URL, wheel: string): Promise<SiteTexts> {
  const pages = new URL('pages/', templates);
  const read = (name: string): Promise<string> => readFile(new URL(name, pages), 'utf8');
  const sources = await Promise.all(
    PAGE_TEMPLATES.map(async (name): Promise<[PageTemplate, string]> => [
      name,
      await read(`${name}.html.hbs`),
    ]),
  );
  const readBuilt = (name: string): Promise<string> => readBundle(new URL(`browser/${name}`, templates));
  const styles = ['first', 'site', 'docs', 'verify', 'figure'].map((name) => readBuilt(`styles/${name}.css`));
  const [firstStyle = '', ...others] = await Promise.all(styles);
  return {
    templates: compileHtmlTemplates(Object.fromEntries(sources) as Record<PageTemplate, string>), // has every name
    firstStyle,
    stylesheet: toAsset('site', 'css', [firstStyle, ...others, chartCss(), figureCss(), ''].join('\n')),
    script: toAsset('site', 'js', await readBuilt('site.js')),
    searchScript: toAsset('search', 'js', await readBuilt('search.js')),
    metricsScript: toAsset('chart', 'js', await readBuilt('chart.js')),
    verifyScript: toAsset('verify', 'js', await readBuilt('verify.js')),
    icon: await read('icon.svg'),
    card: await readFile(new URL('card.png', pages)),
    wheel,
    examples: await readExamples(new URL('examples/', templates)),
    guides: await readGuides(new URL('guides/', templates)),
  };
}

function toAsset(stem: string, extension: string, text: string): SiteAsset {
  return { path: assetPath(nameByContent(stem, extension, text)), text };
}

/** Reads a bundle that `npm run build` makes. @throws Error that says so if it is missing. */
async function readBundle(file: URL): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`${file.pathname} is missing. Run: npm run build`, { cause });
  }
}

function readExamples(folder: URL): Promise<ExampleText[]> {
  return Promise.all(
    EXAMPLE_NAMES.map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })),
  );
}

async function readGuides(folder: URL): Promise<SiteTexts['guides']> {
  const names: readonly GuideTextName[] = ['quickstart', ...GUIDE_NAMES];
  const read = names.map(async (name) => [name, await readGuide(name, folder)] as const);
  return Object.fromEntries(await Promise.all(read)) as Record<GuideTextName, GuideText>; // one of each
}

/** Reads a guide and the code of its sections, which is in a folder of the same name. */
async function readGuide(name: GuideTextName, folder: URL): Promise<GuideText> {
  const codes = new URL(`${name}/`, folder);
  const files = (await readdir(codes)).sort();
  return {
    text: await readFile(new URL(`${name}.md`, folder), 'utf8'),
    codes: await Promise.all(
      files.map(async (file) => ({ file, text: await readFile(new URL(file, codes), 'utf8') })),
    ),
  };
}

/** Reads the texts of the Python client in `folder`, without what Python leaves there when it runs. */
export async function readPythonClient(folder: URL): Promise<PythonClient> {
  const read = (name: string): Promise<string> => readFile(new URL(name, folder), 'utf8');
  const found = await readdir(new URL('src/', folder), { recursive: true });
  const names = found
    .filter((name) => /\.py$|^crd.py\.typed$/.test(name))
    .map((name) => name.replaceAll('\\', '/'));
  const sources = names.map(async (name) => [name, await read(`src/${name}`)] as const);
  return {
    metadata: await read('METADATA'),
    readme: await read('README.md'),
    licence: await read('LICENSE'),
    sources: Object.fromEntries(await Promise.all(sources)),
  };
}
