import { findNextCommand } from '../../../gateway/commands/run-command.js';
import { OperatorError, type ExitName } from '../../../gateway/core/exit-codes.js';

const ACCOUNT = ['--account', "o'hara", '--accounts-store=file:a'];

const nextOf = (
  exit: ExitName,
  args: readonly string[],
  error: unknown = new Error('why'),
): string | undefined => findNextCommand({ error, exit }, { program: ['gateway'], args });

it.each<[ExitName, string[], string | undefined]>([
  [
    'conflict',
    ['grant', '--account', 'a', '--reason', 'two words'],
    "gateway grant --account a --reason 'two words'",
  ],
  ['store-unavailable', ['keys', 'list', '--account', 'a'], 'gateway keys list --account a'],
  ['billing-unavailable', ['reconcile', '--apply'], 'gateway reconcile --apply'],
  [
    'refused',
    ['keys', 'revoke', '--id', 'x', ...ACCOUNT],
    "gateway keys list --account 'o'\\''hara' --accounts-store=file:a",
  ],
  ['refused', ['grant', ...ACCOUNT], "gateway accounts show --account 'o'\\''hara' --accounts-store=file:a"],
  ['refused', ['reconcile', '--apply'], 'gateway reconcile --apply'],
  ['conflict', ['grant', '--account', 'crd_live_12345678_abcdefgh'], 'gateway grant --account [hidden]'],
  ['usage', ['accounts', 'show', '--account', 'a'], 'gateway accounts show --help'],
  ['usage', ['keys', 'list', ...ACCOUNT], 'gateway keys list --help'],
  ['usage', ['serve'], 'gateway serve --help'],
  ['damaged', ['keys', 'list', '--account', 'a'], undefined],
  ['bug', ['serve'], undefined],
])('after %s of %j follows %j', (exit, args, command) => {
  expect(nextOf(exit, args)).toBe(command);
});

it('the command set by the error takes precedence, on the same accounts store', () => {
  const error = new OperatorError('usage', 'why', { next: ['keys', 'list', '--account', 'a b'] });
  expect(nextOf('usage', ['keys', 'revoke', ...ACCOUNT], error)).toBe(
    "gateway keys list --account 'a b' --accounts-store=file:a",
  );
});

it('the error can change the arguments of the run', () => {
  const error = new OperatorError('usage', 'why', { next: (args) => args.slice(0, -1) });
  expect(nextOf('usage', ['grant', ...ACCOUNT], error)).toBe("gateway grant --account 'o'\\''hara'");
});
