/** Rewrites the generated sections of the READMEs; with `--check`, fails if one is out of date. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderReference } from './reference-sections.js';

const ROOT = path.join(import.meta.dirname, '../..');

/** The files with generated sections. */
export const REFERENCE_FILES = ['generator/README.md', 'gateway/README.md', 'gateway/PROVIDERS.md'] as const;

/**
 * Replaces the text between `<!-- generated: NAME -->` and `<!-- end -->` with the section of that name.
 * @throws Error for a marker whose name is unknown.
 */
export function fillSections(text: string, sections: ReadonlyMap<string, string>): string {
  return text.replace(
    /(<!-- generated: ([a-z-]+) -->\n)[^]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const section = sections.get(name);
      if (section === undefined) throw new Error(`No section is called "${name}".`);
      return `${start}\n${section}\n\n${end}`;
    },
  );
}

async function main(check: boolean): Promise<void> {
  const sections = renderReference();
  for (const name of REFERENCE_FILES) {
    const file = path.join(ROOT, name);
    const before = await readFile(file, 'utf8');
    const after = fillSections(before, sections);
    if (before === after) continue;
    if (check) {
      process.stderr.write(`${name} is out of date. Run: npm run docs\n`);
      process.exitCode = 1;
    } else await writeFile(file, after);
  }
}

if (process.argv[1] === import.meta.filename) await main(process.argv.includes('--check'));
