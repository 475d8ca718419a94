import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createProgram as createGatewayProgram } from '../../gateway/cli.js';
import { createProgram as createGeneratorProgram } from '../../generator/cli.js';
import { readMarkdownPages, ROOT } from './markdown-pages.js';

const SILENT = { print: () => undefined, warn: () => undefined };
const DOES_NOTHING = { run: () => Promise.resolve() };
const PROGRAMS: Readonly<Record<string, Command>> = {
  generator: createGeneratorProgram(DOES_NOTHING, SILENT),
  gateway: createGatewayProgram(DOES_NOTHING, SILENT),
};
/** A command in code, in quotes, or at the beginning of a line of a block: its program, and the words that follow. */
const NAMED =
  /(?:[`"'>(]|npx |&& |^\s*(?:\$ )?)(crd-)?(generator|gateway) ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/gm;
/** What visitors read, who have neither the image nor the page that says what `generator` stands for. */
const VISITORS = [
  'templates/guides',
  'templates/pages',
  'templates/browser',
  'templates/python',
  'generator/core/pages',
];
/** Folders of what the programs print. */
const MESSAGES = ['generator', 'gateway', 'infra/process', 'infra/store'];
const TEXT = /\.(md|ts|hbs|py|sh|html)$/;

/** Returns the texts below folders of the repository, by their path. */
async function readTexts(folders: readonly string[]): Promise<(readonly [name: string, text: string])[]> {
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(path.join(ROOT, folder), { recursive: true })).map((name) =>
        path.posix.join(folder, name),
      ),
    ),
  );
  const texts = names.flat().filter((name) => TEXT.test(name));
  return Promise.all(
    texts.map(async (name) => [name, await readFile(path.join(ROOT, name), 'utf8')] as const),
  );
}

/** Returns whether the words begin with a command, and with one of its own if it is a group. */
function exists(program: Command, [first, second]: readonly (string | undefined)[]): boolean {
  const command = program.commands.find((each) => each.name() === first);
  if (command === undefined) return false;
  return (
    second === undefined ||
    command.commands.length === 0 ||
    command.commands.some((each) => each.name() === second)
  );
}

/** Returns the commands in a text that do not exist. */
function findUnknown(text: string): string[] {
  return [...text.matchAll(NAMED)]
    .filter(([, , program = '', ...words]) => !exists(PROGRAMS[program] as Command, words)) // of the pattern
    .map(([found]) => found.trim());
}

it('every command that a page or a message names is one that exists', async () => {
  const texts = [...(await readMarkdownPages()), ...(await readTexts([...VISITORS, ...MESSAGES]))];
  const unknown = texts.flatMap(([name, text]) => findUnknown(text).map((command) => `${name}: ${command}`));
  expect(unknown).toEqual([]);
});

it('finds a command that does not exist, also in a group', () => {
  const text =
    'Run "generator verfy --deep", `npx crd-gateway keys make` or\n  gateway keys create --account a\n$ generator verfy && crd-generator puts\n<code>gateway sreve</code>';
  expect(findUnknown(text)).toEqual([
    '"generator verfy',
    'npx crd-gateway keys make',
    '$ generator verfy',
    '&& crd-generator puts',
    '>gateway sreve',
  ]);
});

it('what visitors read names the programs as a checkout does', async () => {
  const { bin } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as { bin: object };
  expect(Object.keys(bin)).toEqual(expect.arrayContaining(['crd-gateway', 'crd-generator']));
  const bare = (await readTexts(VISITORS)).flatMap(([name, text]) =>
    [...text.matchAll(NAMED)]
      .filter(([found, prefix]) => prefix === undefined || !found.includes('npx '))
      .map(([found]) => `${name}: ${found.trim()}`),
  );
  expect(bare).toEqual([]);
});
