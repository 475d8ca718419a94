import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createProgram } from '../../generator/cli.js';
import { EXIT_CODES, TRANSIENT_EXITS } from '../../generator/core/generator-error.js';

const runbook = await readFile(path.join(import.meta.dirname, '../../generator/RUNBOOK.md'), 'utf8');

/** Returns the words of a command line as a shell would split them, with addresses in place of the variables. */
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

/** Every complete command line of the page, in code blocks and in sentences. */
const lines = [
  ...runbook.matchAll(/^ *generator (.*)$/gm),
  ...runbook.matchAll(/`generator ([^`]* --[^`]*)`/g),
  ...runbook.matchAll(/dist\/generator\/main\.js (.*?)(?: >>.*)?$/gm),
].map(([, line = '']) => line);

/** Returns the name of the command that the program would run for a command line. */
async function parse(line: string): Promise<string> {
  const taken: string[] = [];
  const program = createProgram(
    { run: (name) => Promise.resolve(void taken.push(name)) },
    { print: () => undefined, warn: () => undefined },
  );
  await program.parseAsync(toWords(line), { from: 'user' });
  return taken.join();
}

describe('the runbook of the generator', () => {
  it.each([...new Set(lines)])('shows a command line that the program accepts: %s', async (line) => {
    expect(await parse(line)).toBe(line.split(' ')[0]);
  });

  it('mentions every command', () => {
    const program = createProgram(
      { run: () => Promise.resolve() },
      { print: () => undefined, warn: () => undefined },
    );
    for (const command of program.commands) expect(runbook).toMatch(new RegExp(`\`${command.name()}[\` ]`));
  });

  it('shows a systemd service that does not retry an exit that needs a person', () => {
    const [, listed = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(runbook) ?? [];
    const { done, interrupted, ...failures } = EXIT_CODES;
    const transient = TRANSIENT_EXITS.map((name) => EXIT_CODES[name].code) as readonly number[];
    const lasting = Object.values(failures).filter(({ code }) => !transient.includes(code));
    expect(listed.split(' ').map(Number)).toEqual([...lasting.map(({ code }) => code), interrupted.code]);
    expect(runbook).toContain(`SuccessExitStatus=${interrupted.code}`); // systemd itself stopped it
    expect(done.code).toBe(0);
  });

  it('lists every exit code with what to do', () => {
    const rows = [...runbook.matchAll(/^\| (\d+) +\| `([a-z-]+)` +\|/gm)].map(([, code, name]) => [
      Number(code),
      name,
    ]);
    expect(rows).toEqual(Object.entries(EXIT_CODES).map(([name, { code }]) => [code, name]));
  });
});
