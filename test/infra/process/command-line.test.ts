import { Option, type Command } from 'commander';
import { createProgram as createGateway } from '../../../gateway/cli.js';
import { createProgram as createGenerator } from '../../../generator/cli.js';
import { withChoices } from '../../../infra/process/choice.js';
import { addCommand, createCommandLine, runCommandLine } from '../../../infra/process/command-line.js';

const SILENT = { print: () => undefined, warn: () => undefined };
const DOES_NOTHING = { run: () => Promise.resolve() };

/** Returns the commands of a program that run something. */
function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

const LEAVES = [createGenerator(DOES_NOTHING, SILENT), createGateway(DOES_NOTHING, SILENT)]
  .flatMap(leavesOf)
  .map((command) => [`${command.parent?.name() ?? ''} ${command.name()}`, command] as const);

describe.each(LEAVES)('the help of %s', (_name, command) => {
  const help = command.helpInformation();
  const { options } = command;

  it('lists the required options first, and marks them', () => {
    const flags = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag);
    const required = options.filter(({ mandatory }) => mandatory).map(({ long }) => long);
    expect(flags.slice(0, required.length)).toEqual(required);
    expect(help.split('(required)').length - 1).toBe(required.length);
  });

  it('fits into 80 columns, except for the example', () => {
    const [, example = ''] = /Example:\n {2}(.+)\n/.exec(help) ?? [];
    const lines = help.split('\n').filter((line) => line.trim() !== example);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('has an example that the program accepts', async () => {
    const words = (/Example:\n {2}(.+)\n/.exec(help)?.[1] ?? '').match(/"[^"]*"|\S+/g) ?? [];
    const start = words.findIndex((word) => word === 'generator' || word === 'gateway');
    const create = words[start] === 'generator' ? createGenerator : createGateway;
    const args = words.slice(start + 1).map((word) => word.replaceAll('"', ''));
    expect(await runCommandLine(create(DOES_NOTHING, SILENT), args, SILENT)).toBeUndefined();
    expect(args.length).toBeGreaterThan(0);
  });

  it('names the command that lists the exit codes, which only the top command does', () => {
    expect(help).toMatch(/\n\nExit codes: (generator|gateway) --help$/);
  });
});

describe('a wrong command line', () => {
  const program = ['node', 'dist/my program.js'];

  /** Returns what a program with one command writes about arguments. */
  async function explain(...args: string[]): Promise<string> {
    const lines: string[] = [];
    const output = { print: () => undefined, warn: (text: string) => void lines.push(text), program };
    const root = createCommandLine(
      { name: 'generator', description: '', version: '1', exitCodes: {} },
      output,
    );
    addCommand(root, {
      name: 'publish',
      description: 'Publish.',
      options: [
        new Option('--full', 'everything'),
        new Option('--reason <text>', 'reason'),
        withChoices(new Option('--chain <chain>', 'chain'), 'Chains', ['bitcoin', 'base']),
        new Option('--store <address>', 'store').makeOptionMandatory(),
      ],
      example: 'generator publish --store file:x',
    }).action(() => undefined);
    expect(await runCommandLine(root, args, output)).toEqual(expect.any(String));
    return lines.join('\n');
  }

  it.each([
    [['publsh', '--store', 'file:a b'], "publish --store 'file:a b'"],
    [['publish', '--stroe', "it's", '--full'], "publish --store 'it'\\''s' --full"],
    [['publish', '--store', 'x', '--chain', 'bitcion'], 'publish --store x --chain bitcoin'],
    [['publish', '--store', 'x', '--chain=bitcion'], 'publish --store x --chain=bitcoin'],
  ])('with a misspelled word ends with the corrected command: %j', async (args, corrected) => {
    const text = await explain(...args);
    expect(text).toMatch(/^error: [^]*\n\(Did you mean \S+\?\)\n/);
    expect(text.split('\n').at(-1)).toBe(`  node 'dist/my program.js' ${corrected}`);
  });

  it('with another fault ends with an example and the command that lists the options', async () => {
    expect(await explain('publish', '--full')).toBe(
      [
        "error: required option '--store <address>' not specified",
        'Example:',
        "  node 'dist/my program.js' publish --store file:x",
        'All options:',
        "  node 'dist/my program.js' publish --help",
      ].join('\n'),
    );
  });

  it('with an unknown command ends with the command that lists all', async () => {
    expect(await explain('zzz')).toMatch(/unknown command 'zzz'\nAll commands:\n {2}node .* --help$/);
  });
});
