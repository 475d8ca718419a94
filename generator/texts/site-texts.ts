import { readFile } from 'node:fs/promises';
import { EXAMPLE_NAMES } from '../../schemas/catalog.js';
import { compileHtmlTemplates } from '../core/text/html-template.js';
import {
  PAGE_TEMPLATES,
  type ExampleText,
  type PageTemplate,
  type SiteTexts,
} from '../core/pages/site-texts.js';

/** Reads the templates, style sheet, script, icon, card and examples of the pages. `wheel` is the path of the Python client. */
export async function readSiteTexts(templates: URL, wheel: string): Promise<SiteTexts> {
  const pages = new URL('pages/', templates);
  const read = (name: string): Promise<string> => readFile(new URL(name, pages), 'utf8');
  const sources = await Promise.all(
    PAGE_TEMPLATES.map(async (name): Promise<[PageTemplate, string]> => [
      name,
      await read(`${name}.html.hbs`),
    ]),
  );
  return {
    templates: compileHtmlTemplates(Object.fromEntries(sources) as Record<PageTemplate, string>), // has every name
    stylesheet: (await read('site.css')) + (await read('figure.css')),
    script: await readScript(new URL('browser/site.js', templates)),
    icon: await read('icon.svg'),
    card: await readFile(new URL('card.png', pages)),
    wheel,
    examples: await readExamples(new URL('examples/', templates)),
  };
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
