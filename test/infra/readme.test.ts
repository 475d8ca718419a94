import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createProgram } from '../../generator/cli.js';
import { EXIT_CODES, TRANSIENT_EXITS } from '../../generator/core/generator-error.js';

const readme = await readFile(path.join(import.meta.dirname, '../../infra/README.md'), 'utf8');
const root = await readFile(path.join(import.meta.dirname, '../../README.md'), 'utf8');

/** The words of a command line, as a shell would part them; its variables stand for places. */
function toWords(line: string): string[] {
  const places: Record<string, string> = {
    $A: 'file:./store',
    $BACKUP: 'file:./backup',
    $FRESH: 'file:./fresh',
    $IN: './metrics',
    $DIGEST: '0'.repeat(64),
  };
  const words = line.match(/"[^"]*"|\S+/g) ?? [];
  return words.map((word) => places[word] ?? word.replaceAll('"', ''));
}

/** Every whole command line of the page, wherever it stands. */
const lines = [
  ...readme.matchAll(/^ *generator (.*)$/gm),
  ...readme.matchAll(/`generator ([^`]* --[^`]*)`/g),
  ...readme.matchAll(/dist\/generator\/main\.js (.*?)(?: >>.*)?$/gm),
].map(([, line = '']) => line);

/** Resolves which command the program takes the line for. */
async function parse(line: string): Promise<string> {
  const taken: string[] = [];
  const program = createProgram(
    { now: () => Date.parse('2026-08-19'), run: (name) => Promise.resolve(void taken.push(name)) },
    { print: () => undefined, warn: () => undefined },
  );
  await program.parseAsync(toWords(line), { from: 'user' });
  return taken.join();
}

describe('the page on running the generator', () => {
  it.each([...new Set(lines)])('shows a command line that the program takes: %s', async (line) => {
    expect(await parse(line)).toBe(line.split(' ')[0]);
  });

  it('shows how each command is used or what it needs', () => {
    const program = createProgram(
      { now: () => 0, run: () => Promise.resolve() },
      { print: () => undefined, warn: () => undefined },
    );
    for (const command of program.commands) expect(readme).toMatch(new RegExp(`\`${command.name()}[\` ]`));
  });

  it('shows a service that is not started again after an answer that only a person can change', () => {
    const [, listed = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(readme) ?? [];
    const { done, interrupted, ...failures } = EXIT_CODES;
    const transient = TRANSIENT_EXITS.map((name) => EXIT_CODES[name].code) as readonly number[];
    const lasting = Object.values(failures).filter(({ code }) => !transient.includes(code));
    expect(listed.split(' ').map(Number)).toEqual([...lasting.map(({ code }) => code), interrupted.code]);
    expect(readme).toContain(`SuccessExitStatus=${interrupted.code}`); // systemd itself stopped it
    expect(done.code).toBe(0);
  });

  it('says of each exit code what to do', () => {
    const rows = [...readme.matchAll(/^\| (\d+) +\| `([a-z-]+)` +\|/gm)].map(([, code, name]) => [
      Number(code),
      name,
    ]);
    expect(rows).toEqual(Object.entries(EXIT_CODES).map(([name, { code }]) => [code, name]));
  });

  it('leads nowhere by a link within the page', () => {
    const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, anchor] of readme.matchAll(/\]\(#([^)]*)\)/g)) expect(headings).toContain(anchor);
  });

  it('is led to from the README', () => {
    expect(root).toContain('(infra/README.md)');
  });
});
