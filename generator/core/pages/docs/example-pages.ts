import { examplePath, exampleViewPath } from '../../../../schemas/paths.js';
import type { FileTemplate } from '../../artifacts/artifact.js';
import { pageFile } from '../page.js';
import type { SiteTexts } from '../site-texts.js';
import { docsList } from './docs-list.js';

/** Returns a page for each example program. */
export function examplePages(site: SiteTexts): FileTemplate[] {
  return site.examples.map(({ name, text }) => {
    const { words, command } = parseOpening(text);
    return pageFile(site, {
      path: exampleViewPath(name),
      template: 'example',
      title: name,
      description: `${words}. An example program to copy.`,
      values: () => ({
        list: docsList(site, exampleViewPath(name)),
        name,
        words,
        command,
        file: examplePath(name),
        code: { label: name, text: text.trimEnd() },
      }),
    });
  });
}

/** Returns what an example does and how it is run, from its first line: `# Does something: command`. */
function parseOpening(text: string): { readonly words: string; readonly command: string } {
  const [, words, command] = /^(?:#|\/\/) ([^:]+): (.+)\n/.exec(text) ?? [];
  if (words === undefined || command === undefined)
    throw new Error('An example begins with what it does and how to run it.');
  return { words, command };
}
