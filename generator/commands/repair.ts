import { count, countWords, plural } from '../../schemas/words.js';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  GC_KEY,
  OBJECTS_PREFIX,
  parseStatementKey,
  PUBLIC_PREFIX,
  RELEASES_PREFIX,
} from '../../schemas/paths.js';
import { formatShellCommand } from '../../infra/process/shell-command.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';
import { formatInputFault } from '../core/input/input-series.js';
import { openInputFolder } from '../input/input-folder.js';
import { readInput } from '../input/read-input.js';
import { repairStore, type RepairResult, type RepairStoreOptions } from '../upkeep/repair/repair-store.js';
import type { PointerRequest } from '../upkeep/repair/restore-pointer.js';
import { type CommandLine, warnOfStoreFaults } from './common/next-command.js';
import {
  addGeneratorCommand,
  type CommandContext,
  type CommandHost,
  type CommonOptions,
  inputOption,
  parseRevision,
  storeOption,
} from './common/options.js';

type RepairOptions = CommonOptions & {
  readonly store: string;
  readonly input?: string;
  readonly pointer?: PointerRequest;
  readonly sign?: boolean;
};

/** Adds `repair`, which restores public copies, lost objects and a lost pointer. */
export function addRepair(program: Command, host: CommandHost): void {
  addGeneratorCommand(program, {
    name: 'repair',
    description: 'Restore public copies, lost objects (--input) and a lost pointer (--pointer), and verify.',
    options: [
      storeOption(),
      inputOption(),
      new Option('--pointer <revision>', 'restore a lost pointer to this release if it verifies').argParser(
        parsePointer,
      ),
      new Option(
        '--sign',
        'sign lost statements again, and the current one if its key was revoked or has expired; check first that the releases are yours',
      ),
    ],
    example: 'generator repair --input ./metrics --store file:./data/store',
  }).action((options: RepairOptions) =>
    host.run('repair', options, async (context) => {
      const store = await context.openStore(options.store);
      const { input, pointer } = options;
      const { progress, signal } = context;
      const read = input === undefined ? {} : await readInputs(input, context);
      const signing =
        options.sign === true ? await context.openSigning(store, { isChecked: true }) : undefined;
      const result = await repairStore(store, {
        signing,
        progress,
        signal,
        ...read,
        ...(pointer === undefined ? {} : { pointer }),
      });
      return report(result, options, context);
    }),
  );
}

/** Reads the chains whose input is valid, and the site. Lost objects of other chains cannot be rebuilt. */
async function readInputs(
  address: string,
  { now, progress, warn, openStore }: CommandContext,
): Promise<Pick<RepairStoreOptions, 'inputs' | 'site'>> {
  progress.begin('input');
  const folder = await openInputFolder(address, openStore);
  const { series, faults, site } = await readInput({ folder, asOfMs: now() });
  progress.end(`${count(series.length, 'chain')}, ${count(faults.length, 'fault')}`);
  for (const fault of faults) warn(formatInputFault(fault));
  if (series.length === 0) {
    const message = `${address} has no chain with valid input. Nothing was repaired. Fix the faults above.`;
    throw new GeneratorError('input-invalid', message);
  }
  return { inputs: series, site: site ?? undefined };
}

function report(result: RepairResult, options: RepairOptions, context: CommandContext): ExitName {
  const { faults } = result;
  const { warn, show, commandLine } = context;
  const remedy = remedyOf(result, options);
  warnOfStoreFaults(faults, warn);
  if (remedy !== null)
    warn(
      `${count(faults.length, 'fault')} ${plural(faults.length, 'remains', 'remain')}: ${remedy}\n  ${formatShellCommand(nextWords(result, options, commandLine))}`,
    );
  show({ ...result, remedy }, formatRepair(result));
  return faults.length === 0 ? 'done' : 'damaged';
}

/** Returns what the operator can do about the remaining faults. */
function remedyOf(
  { faults, pointer, candidate }: RepairResult,
  { input, store, pointer: asked, sign }: RepairOptions,
): string | null {
  if (faults.length === 0) return null;
  const keys = faults.map(({ key }) => key);
  const steps: string[] = [];
  if (pointer === 'lost') {
    const revision = candidate?.revision ?? 'REVISION';
    steps.push(
      asked === undefined
        ? `the pointer is lost: run again with --pointer ${revision}`
        : 'the pointer was not restored',
    );
  }
  if (keys.some(isRebuilt)) {
    steps.push(
      input === undefined
        ? 'run again with --input DIR to rebuild lost objects'
        : `the lost objects cannot be rebuilt from --input ${input}: use the input as it was when they were published, or restore a backup with "generator copy --from BACKUP --to ${store}"`,
    );
  }
  if (sign !== true && keys.some(isStatement))
    steps.push('check that the releases are yours, and run again with --sign and the release key');
  if (keys.includes(GC_KEY)) steps.push(`make sure that no gc is running, then delete ${GC_KEY}`);
  if (keys.some((key) => key.startsWith(PUBLIC_PREFIX)))
    steps.push(
      'a lost public copy is restored together with its object. Delete public files that no release lists',
    );
  return steps.length === 0 ? 'run "generator verify"' : steps.join('; ');
}

/** Returns the words of the command that can restore more or, if there is none, of `verify`, which lists the faults. */
function nextWords(
  { faults, pointer, candidate }: RepairResult,
  { input, store, pointer: asked, sign }: RepairOptions,
  { program, args }: CommandLine,
): string[] {
  const more = [
    ...(pointer === 'lost' && asked === undefined ? ['--pointer', candidate?.revision ?? 'REVISION'] : []),
    ...(input === undefined && faults.some(({ key }) => isRebuilt(key)) ? ['--input', 'DIR'] : []),
    ...(sign !== true && faults.some(({ key }) => isStatement(key)) ? ['--sign'] : []),
  ];
  return [...program, ...(more.length > 0 ? [...args, ...more] : ['verify', '--store', store])];
}

/** Returns whether an object with this key can be rebuilt from the input. */
function isRebuilt(key: string): boolean {
  return (key.startsWith(OBJECTS_PREFIX) || key.startsWith(RELEASES_PREFIX)) && !isStatement(key);
}

function isStatement(key: string): boolean {
  return parseStatementKey(key) !== undefined;
}

function formatRepair({ outcome, revision, sequence, pointer, restored, aliases }: RepairResult): string {
  const what = [
    ...(pointer === 'kept' ? [] : [`pointer ${pointer}`]),
    `${count(restored.length, 'object')} restored`,
    `public copies written: ${countWords(aliases.objects)}`,
  ];
  return `${outcome}: ${revision ?? 'no release'} (sequence ${sequence ?? 0}); ${what.join(', ')}`;
}

/** Parses REVISION or, where several records have that revision, REVISION/SHA-256. */
function parsePointer(text: string): PointerRequest {
  const [, revision, sha256] = /^([^/]*)(?:\/([0-9a-f]{64}))?$/.exec(text) ?? [];
  if (revision === undefined)
    throw new InvalidArgumentError(
      'Write REVISION or, if several release records have it, REVISION/SHA-256.',
    );
  return { revision: parseRevision(revision), ...(sha256 === undefined ? {} : { sha256 }) };
}
