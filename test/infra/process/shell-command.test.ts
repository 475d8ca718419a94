import { execFileSync } from 'node:child_process';
import {
  formatShellCommand,
  programWords,
  withoutOption,
  wordsOfOption,
} from '../../../infra/process/shell-command.js';

describe('formatShellCommand', () => {
  it('formats words that a shell reads back as they were', () => {
    const words = [
      'a',
      'a b',
      "it's",
      '"$HOME"',
      '',
      '*',
      's3://b/p?region=x&path-style=true',
      '--x=1',
      '\\',
      'ü\n!',
    ];
    const command = formatShellCommand(['printf', '%s\\0', ...words]);
    expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words);
  });

  it('quotes no word that needs no quotes', () => {
    const words = ['generator', 'publish', '--store', 'file:./data/store', '2025-01-10T06:00:00Z'];
    expect(formatShellCommand(words)).toBe(words.join(' '));
  });
});

it.each([
  ['/usr/local/bin/generator', 'generator'],
  ['/usr/local/bin/crd-generator', 'crd-generator'],
  ['/srv/app/node_modules/.bin/crd-generator', 'npx crd-generator'],
  ['/srv/app/dist/generator/main.js', 'node dist/generator/main.js'],
])('programWords starts %s as "%s"', (script, expected) => {
  expect(programWords('generator', script, (file) => file.replace('/srv/app/', '')).join(' ')).toBe(expected);
});

it('withoutOption removes an option with its value in both spellings, and nothing else', () => {
  const args = ['plan', '--plan', 'a b', '--plans', 'x', '--plan=c', '--full'];
  expect(withoutOption(args, '--plan')).toEqual(['plan', '--plans', 'x', '--full']);
});

it('finds the words of an option in both forms', () => {
  const args = ['verify', '--endpoint', 'http://a', '--store=file:x', '--endpoints', 'y'];
  expect(wordsOfOption(args, '--endpoint')).toEqual(['--endpoint', 'http://a']);
  expect(wordsOfOption(args, '--store')).toEqual(['--store=file:x']);
  expect(wordsOfOption(args, '--input')).toEqual([]);
});
