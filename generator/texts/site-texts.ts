import { readdir, readFile } from 'node:fs/promises';
import { EXAMPLE_NAMES, GUIDE_NAMES } from '../../schemas/catalog.js';
import { nameByContent } from '../../schemas/digest.js';
import { assetPath } from '../../schemas/paths.js';
import { chartCss, figureCss } from '../core/charts/chart-style.js';
import { compileHtmlTemplates } from '../core/text/html-template.js';
import {
  PAGE_TEMPLATES,
  type ExampleText,
  type GuideText,
  type GuideTextName,
  type PageTemplate,
  type SiteAsset,
  type SiteTexts,
} from '../core/pages/site-texts.js';

/** Reads the templates, style sheet, script, icon, card, examples and guides of the pages. `wheel` is the path of the Python client. */
export async function readSiteTexts(templates: URL, wheel: string): Promise<SiteTexts> {
  const pages = new URL('pages/', templates);
  const read = (name: string): Promise<string> => readFile(new URL(name, pages), 'utf8');
  const sources = await Promise.all(
    PAGE_TEMPLATES.map(async (name): Promise<[PageTemplate, string]> => [
      name,
      await read(`${name}.html.hbs`),
    ]),
  );
  const firstStyle = await read('first.css');
  const styles = ['site.css', 'figure.css', 'docs.css', 'verify.css'];
  const moreStyle = (await Promise.all(styles.map(read))).join('');
  return {
    templates: compileHtmlTemplates(Object.fromEntries(sources) as Record<PageTemplate, string>), // has every name
    firstStyle,
    stylesheet: toAsset('site', 'css', [firstStyle, moreStyle, chartCss(), figureCss(), ''].join('\n')),
    script: toAsset('site', 'js', await readScript(new URL('browser/site.js', templates))),
    verifyScript: toAsset('verify', 'js', await readScript(new URL('browser/verify.js', templates))),
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

/** Reads the bundle that `npm run build` makes. @throws Error that says so if it is missing. */
async function readScript(file: URL): Promise<string> {
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
