import { InvalidArgumentError, Option } from 'commander';
import { parseReason } from '../common/options.js';

export function rootKeyOption(): Option {
  return new Option('--root-key <file>', 'private root key, kept offline').makeOptionMandatory();
}

export function releaseKeyOption(): Option {
  return new Option(
    '--release-key <key>',
    'release key: a private or public key file (created if it does not exist), or kms:KEY-ID',
  );
}

export function keysOption(): Option {
  return new Option('--keys <file>', 'file of the signed key set').default('keys.jws');
}

export function dryRunOption(): Option {
  return new Option('--dry-run', 'show what would change, without writing anything');
}

export function siteOption(): Option {
  return new Option('--site <name>', 'name of the site, usually its address: https://data.example.com')
    .argParser(parseSite)
    .makeOptionMandatory();
}

export function kidOption(): Option {
  return new Option('--kid <id>', 'id of the key, as "keys show" lists it').makeOptionMandatory();
}

export function revocationReasonOption(): Option {
  return new Option('--reason <text>', 'public reason, at most 200 characters')
    .argParser(parseReason)
    .makeOptionMandatory();
}

/** Parses a sequence. @throws InvalidArgumentError */
export function parseSequence(text: string): number {
  const sequence = Number(text);
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number from 1.');
  return sequence;
}

function parseSite(text: string): string {
  if (!/^[!"$-~]{1,200}$/.test(text))
    throw new InvalidArgumentError('Write 1 to 200 visible ASCII characters without "#".');
  return text;
}
