import {
  findNextCommand,
  formatAgain,
  formatCommand,
} from '../../../../generator/commands/common/next-command.js';
import {
  EXIT_CODES,
  GeneratorError,
  RUN_AGAIN,
  type ExitName,
} from '../../../../generator/core/generator-error.js';
import { StoreError } from '../../../../infra/store/object-store.js';

const ARGS = ['publish', '--input', 'in', '--store', 'file:my store', '--endpoint=http://a', '--path-style'];
const COMMAND_LINE = { program: ['node', 'main.js'], args: ARGS };
const AGAIN = "node main.js publish --input in --store 'file:my store' --endpoint=http://a --path-style";

const nextOf = (exit: ExitName, error: unknown = new Error('why'), command = 'publish'): string | undefined =>
  findNextCommand({ command, error, exit }, COMMAND_LINE);

it('another command is on the same S3 server', () => {
  expect(formatCommand(COMMAND_LINE, ['unhold', '--store', 's3://a/b'])).toBe(
    'node main.js unhold --store s3://a/b --endpoint=http://a --path-style',
  );
  expect(formatAgain(COMMAND_LINE)).toBe(AGAIN);
});

describe('after a failure', () => {
  it.each(['conflict', 'store-unavailable', 'interrupted', 'refused', 'input-invalid'] as const)(
    'that exits as %s, the next command is the same one',
    (exit) => {
      expect(nextOf(exit)).toBe(AGAIN);
      expect(nextOf(exit, new StoreError('unavailable', 'why'))).toBe(AGAIN);
    },
  );

  it.each([
    ['publish', 'node main.js publish --help'],
    ['keys init', 'node main.js keys init --help'],
  ])(
    'caused by wrong usage of %s, the next command is its help, because the same one would fail again',
    (name, help) => {
      expect(nextOf('usage', undefined, name)).toBe(help);
      expect(nextOf('usage', new StoreError('address', 'why'), name)).toBe(help);
      expect(nextOf('usage', new GeneratorError('usage', 'why', { next: () => undefined }), name)).toBe(help);
    },
  );

  it('with a cause outside the command line, the next command is the same one', () => {
    expect(nextOf('usage', new GeneratorError('usage', 'why', { next: RUN_AGAIN }))).toBe(AGAIN);
  });

  it('by damage, verify follows, except after itself', () => {
    expect(nextOf('damaged')).toBe(
      "node main.js verify --store 'file:my store' --endpoint=http://a --path-style",
    );
    expect(nextOf('damaged', undefined, 'verify')).toBeUndefined();
  });

  it('that only its authors can fix, nothing follows', () => {
    expect([nextOf('bug'), nextOf('artifact-invalid')]).toEqual([undefined, undefined]);
  });

  it('the command set by the error takes precedence', () => {
    const held = new GeneratorError('held', 'why', { next: ['unhold', '--store', 'file:a b'] });
    expect(nextOf('held', held)).toBe(
      "node main.js unhold --store 'file:a b' --endpoint=http://a --path-style",
    );
    const changed = new GeneratorError('usage', 'why', { next: (args) => [...args, '--prune'] });
    expect(nextOf('usage', changed)).toBe(`${AGAIN} --prune`);
    const undecided = new GeneratorError('conflict', 'why', { next: () => undefined });
    expect(nextOf('conflict', undecided)).toBe(AGAIN);
  });

  it('every exit but those of bugs has a command', () => {
    const without = (Object.keys(EXIT_CODES) as ExitName[]).filter((exit) => nextOf(exit) === undefined);
    expect(without).toEqual(['bug', 'artifact-invalid']);
  });
});
