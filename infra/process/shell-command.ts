/** Formats words as a command line to paste into a POSIX shell. */
export function formatShellCommand(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/**
 * Returns the words that start this program again: the name of its command, with `npx` if it was started from
 * `node_modules/.bin` or its script is unknown, otherwise Node with the path of its script. `script` is absolute.
 */
export function programWords(
  name: string,
  script: string | undefined,
  relative: (script: string) => string,
): string[] {
  const command = `crd-${name}`; // in package.json: npm has packages of others called like the programs
  if (script === undefined || script.endsWith(`/node_modules/.bin/${command}`)) return ['npx', command];
  const called = [name, command].find((each) => script.endsWith(`/${each}`));
  return called === undefined ? ['node', relative(script)] : [called];
}

/** Returns the words of an option that has a value, if it was given: `--option value` or `--option=value`. */
export function wordsOfOption(args: readonly string[], option: string): string[] {
  return args.flatMap((arg, i) => {
    if (arg.startsWith(`${option}=`)) return [arg];
    return arg === option ? args.slice(i, i + 2) : [];
  });
}

/** Returns the arguments without an option that has a value, `--option value` or `--option=value`. */
export function withoutOption(args: readonly string[], option: string): string[] {
  return args.filter((arg, i) => arg !== option && !arg.startsWith(`${option}=`) && args[i - 1] !== option);
}
