import { InvalidArgumentError } from 'commander';
import { parseChoice, suggestedWord, suggestSimilar } from '../../../infra/process/choice.js';

const CHAINS = ['bitcoin', 'ethereum', 'arbitrum', 'base'] as const;

it('returns a choice that is spelled as it should be', () => {
  expect(CHAINS.map((chain) => parseChoice(chain, 'Chains', CHAINS))).toEqual(CHAINS);
});

it.each([
  ['etherum', '\n(Did you mean ethereum?)'],
  ['Bitcoin', '\n(Did you mean bitcoin?)'],
  ['solana', ''],
  ['', ''],
  ['--help', ''],
  ['-h', ''],
  ['help', ''],
])('refuses %j, names the choices, and suggests a similar one: %j', (text, suggestion) => {
  const refusal = new InvalidArgumentError(`Chains are bitcoin, ethereum, arbitrum, base.${suggestion}`);
  expect(() => parseChoice(text, 'Chains', CHAINS)).toThrow(refusal);
});

it('suggests all that are equally similar', () => {
  expect(suggestSimilar('source-c', ['source-a', 'source-b', 'other'])).toBe(
    '\n(Did you mean one of source-a, source-b?)',
  );
});

it.each([
  ['base', 'base'],
  ['one of source-a, source-b', undefined],
])('the word of the suggestion "Did you mean %s?" is %j', (words, word) => {
  expect(suggestedWord(`There is no such source.\n(Did you mean ${words}?)`)).toBe(word);
});
