import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { parseInstant } from '../../../schemas/dates.js';
import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import { parseTrustAnchor, type TrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import { isRevision } from '../../../schemas/revision.js';
import { findSchemaFaults } from '../../../schemas/validate.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { parseChoice } from '../../../infra/process/choice.js';
import { addCommand, type CommandDescription } from '../../../infra/process/command-line.js';
import type { Paint } from '../../../infra/process/paint.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { ExitName } from '../../core/generator-error.js';
import type { Progress } from '../../run/progress.js';
import type { Signing } from '../../signing/signing.js';
import { REASON_PLACEHOLDER, type CommandLine } from './next-command.js';

/** Adds a command with the options that every command of the generator has. */
export function addGeneratorCommand(
  program: Command,
  description: Omit<CommandDescription, 'commonOptions'>,
): Command {
  return addCommand(program, { ...description, commonOptions: commonOptions() });
}

function commonOptions(): Option[] {
  return [
    new Option('--endpoint <url>', 'URL of an S3-compatible server (default: Amazon S3)'),
    new Option('--path-style', 'put the bucket of s3:// addresses in the URL path, not in the host name'),
    new Option('--json', 'print one JSON document on stdout'),
    new Option('--quiet', 'print no progress on stderr and no text on stdout'),
    new Option('--log-json', 'write progress and diagnostics to stderr as JSON lines'),
    new Option('--report <file>', 'write a JSON report of the run to this file'),
  ];
}

export function storeOption(): Option {
  return new Option(
    '--store <address>',
    'address of the store: file:PATH or s3://bucket/prefix',
  ).makeOptionMandatory();
}

/** Returns the option of commands that may write the first bytes of a store. */
export function singleWriterOption(): Option {
  return new Option(
    '--single-writer',
    'promise that one process at a time writes there, for a server that "store check" calls safe with one writer only',
  );
}

export function inputOption(): Option {
  return new Option(
    '--input <dir>',
    'PATH, file:PATH or s3://bucket/prefix with one CSV file per chain and sources.json',
  );
}

/** Returns the option that names whose signatures a store must have. */
export function trustOption(): Option {
  return new Option(
    '--trust <anchor>',
    'SITE#THUMBPRINT of the root key that you trust, as "keys show" prints it',
  ).argParser(parseTrust);
}

export function asOfOption(): Option {
  return new Option(
    '--as-of <instant>',
    'time of the run, in RFC 3339; a date means its 00:00:00Z (default: now)',
  ).argParser(parseAsOf);
}

export function reasonOption(): Option {
  return new Option('--reason <text>', 'public reason, at most 200 characters')
    .argParser(parseReason)
    .makeOptionMandatory();
}

/** Returns a repeatable option whose values are chains. */
export function chainsOption(flag: '--chain' | '--ignore', description: string): Option {
  return new Option(`${flag} <chain>`, description).choices([...CHAIN_IDS]).argParser(addChain);
}

/** Returns the as-of of a run: the one from the command line, or now in whole seconds. */
export function asOfOrNow(asOfMs: number | undefined, now: () => number): number {
  return asOfMs ?? Math.floor(now() / 1000) * 1000;
}

function parseTrust(text: string): TrustAnchor {
  const anchor = parseTrustAnchor(text);
  if (anchor === undefined)
    throw new InvalidArgumentError(
      'Write SITE#THUMBPRINT: https://data.example.com#NzbL… with 43 characters.',
    );
  return anchor;
}

function parseAsOf(text: string): number {
  const ms = parseInstant(text);
  if (ms === undefined) throw new InvalidArgumentError('Write 2026-08-19 or 2026-08-19T06:00:00Z.');
  return ms;
}

/** Parses a reason that is published. @throws InvalidArgumentError */
export function parseReason(text: string): string {
  if (text === REASON_PLACEHOLDER)
    throw new InvalidArgumentError(`Replace "${REASON_PLACEHOLDER}" with the reason that readers will see.`);
  const [fault] = findSchemaFaults('reason', text);
  if (fault !== undefined)
    throw new InvalidArgumentError('Write a public reason of 1 to 200 printable characters.');
  return text;
}

/** Parses a SHA-256 in lower-case hex digits. @throws InvalidArgumentError */
export function parseDigest(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new InvalidArgumentError('Copy the 64 hex digits from the output of the plan.');
  return text;
}

/** Parses a published revision. @throws InvalidArgumentError */
export function parseRevision(text: string): string {
  if (!isRevision(text))
    throw new InvalidArgumentError(
      `Write a revision as status and ${PUBLIC_PATHS.changes} show it: 2026-08-19.000001.`,
    );
  return text;
}

function addChain(text: string, before: readonly Chain[] | undefined): readonly Chain[] {
  return [...(before ?? []), parseChoice(text, 'Chains', CHAIN_IDS)];
}

/** The options that every command has. */
export type CommonOptions = {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logJson?: boolean;
  readonly report?: string;
  readonly endpoint?: string;
  readonly pathStyle?: boolean;
};

/** The effects that a command may use. */
export type CommandContext = {
  /** Shows the result: `document` with --json, otherwise `text` unless --quiet. The run report contains `document`. */
  readonly show: (document: object, text: string) => void;
  /** Colours an outcome in a text for `show`, which colours the one at its beginning itself. */
  readonly paint: Paint;
  /** Writes a line of diagnostics. */
  readonly warn: (text: string) => void;
  /** The command line of this run. */
  readonly commandLine: CommandLine;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly progress: Progress;
  /** Aborted when the operator interrupts. */
  readonly signal: AbortSignal;
  /** Opens the store at an address. @throws StoreError 'address'. */
  readonly openStore: (address: string) => Promise<ObjectStore>;
  /**
   * Opens the key that signs the releases of a store; `undefined` if they are not signed. With `isChecked`, the current release
   * may be one that nobody has signed. @throws GeneratorError 'usage', 'damaged'
   */
  readonly openSigning: (
    store: ObjectStore,
    options?: { readonly isChecked?: boolean },
  ) => Promise<Signing | undefined>;
};

/** Runs commands. A command's action passes it the work to do. */
export type CommandHost = {
  readonly run: (
    name: string,
    options: CommonOptions,
    work: (context: CommandContext) => Promise<ExitName>,
  ) => Promise<void>;
};
