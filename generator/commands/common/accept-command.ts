import path from 'node:path';
import { formatShellCommand, withoutOption } from '../../../infra/process/shell-command.js';
import { directoryOf } from '../../../infra/store/directory/directory-address.js';
import { REASON_PLACEHOLDER } from './options.js';

/** A command line as it was typed: the words that start the program, and the arguments. */
export type CommandLine = { readonly program: readonly string[]; readonly args: readonly string[] };

/** Returns the command line that publishes exactly the restatements of a plan, with all options that were given. */
export function formatAcceptCommand(
  { program, args }: CommandLine,
  plan: string,
  reason = REASON_PLACEHOLDER,
): string {
  const [, ...options] = ['--accept-restatements', '--plan']
    .reduce(withoutOption, args)
    .filter((arg) => arg !== '--accept-collected');
  const accept = ['--accept-restatements', reason, '--plan', plan];
  return formatShellCommand([...program, 'publish', ...options, ...accept]);
}

/**
 * Returns the arguments of a run so that they mean the same in any directory: paths of stores and inputs are absolute, and
 * the options that only say how the run reports are left out.
 */
export function toPortableArgs(args: readonly string[]): string[] {
  const kept = ['--accept-restatements', '--plan', '--report'].reduce(withoutOption, args);
  return kept
    .map((arg, i) => {
      const [, option, value = arg] = /^(--store|--input)=(.*)$/s.exec(arg) ?? [];
      const name = option ?? kept[i - 1];
      const absolute =
        name === '--store' ? toAbsoluteStore(value) : name === '--input' ? toAbsoluteInput(value) : value;
      return option === undefined ? absolute : `${option}=${absolute}`;
    })
    .filter((arg) => !['--quiet', '--json', '--log-json'].includes(arg));
}

function toAbsoluteStore(address: string): string {
  const directory = directoryOf(address);
  return directory === undefined ? address : `file:${directory}`;
}

function toAbsoluteInput(address: string): string {
  return address.startsWith('s3://') ? address : path.resolve(address);
}
