import { Command, InvalidArgumentError, type Option } from 'commander';

/** Limits an option to `choices`. `kind` begins the explanation of a refusal: "Chains are ...". */
export function withChoices(option: Option, kind: string, choices: readonly string[]): Option {
  return option.choices(choices).argParser((text: string) => parseChoice(text, kind, choices));
}

/** Returns the choice that a text is. @throws InvalidArgumentError, which names the choices and a similar one. */
export function parseChoice<T extends string>(text: string, kind: string, choices: readonly T[]): T {
  const found = choices.find((each) => each === text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`${kind} are ${choices.join(', ')}.${suggestSimilar(text, choices)}`);
}

/** Returns the word that a message suggests, "(Did you mean base?)", or `undefined` if it suggests none or several. */
export function suggestedWord(message: string): string | undefined {
  return /\(Did you mean ([^ ]+)\?\)$/.exec(message)?.[1];
}

/**
 * Returns a line such as "(Did you mean base?)" if a word is similar to some of the others, otherwise an empty text. Lets
 * commander compare them as names of commands, so that all suggestions follow one rule.
 */
export function suggestSimilar(word: string, others: readonly string[]): string {
  const command = new Command().exitOverride().helpCommand(false).helpOption(false);
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  for (const other of others) command.addCommand(new Command(other));
  try {
    command.parse(['--', word], { from: 'user' });
  } catch (error) {
    const [line = ''] = /\n\(Did you mean [^\n]*\)/.exec(error instanceof Error ? error.message : '') ?? [];
    return line;
  }
  return '';
}
