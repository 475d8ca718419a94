import { InvalidArgumentError, type Command } from 'commander';
import { OBJECTS_PREFIX, PUBLIC_PREFIX, RELEASES_PREFIX } from '../../schemas/paths.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';
import { formatInputFault } from '../core/input-fault.js';
import type { InputSeries } from '../core/input-series.js';
import { openInputFolder } from '../io/input-folder.js';
import { readInput } from '../io/read-input.js';
import { repairStore, type RepairResult } from '../io/repair-store.js';
import type { PointerRequest } from '../io/restore-pointer.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { addStoreCommand, example, INPUT_MEANING, parseRevision } from './options.js';

/** Most faults that are shown of one run; `--json` lists all. */
const FAULTS_SHOWN = 100;

type RepairOptions = CommonOptions & {
  readonly store: string;
  readonly input?: string;
  readonly pointer?: PointerRequest;
};

/** Adds `repair`: mends public copies, lost objects, and a lost pointer. */
export function addRepair(program: Command, host: CommandHost): void {
  const description = 'Mend public copies, with --input lost objects, with --pointer a lost pointer; verify.';
  addStoreCommand(program, 'repair', description)
    .option('--input <dir>', INPUT_MEANING)
    .option('--pointer <revision>', 'restore a lost pointer to this release, once it verifies', parsePointer)
    .addHelpText('after', example('generator repair --input ./metrics --store file:./data/store'))
    .action((options: RepairOptions) =>
      host.run('repair', options, async (context) => {
        const store = await context.openStore(options.store);
        const { input, pointer } = options;
        const { progress, signal } = context;
        const inputs = input === undefined ? undefined : await readInputs(input, context);
        const result = await repairStore(store, {
          progress,
          signal,
          ...(inputs === undefined ? {} : { inputs }),
          ...(pointer === undefined ? {} : { pointer }),
        });
        return report(result, options, context);
      }),
    );
}

/** Reads what is sound of the input: lost objects of the other chains cannot be rebuilt from it. */
async function readInputs(
  address: string,
  { now, progress, warn, openStore }: CommandContext,
): Promise<readonly InputSeries[]> {
  progress.begin('input');
  const folder = await openInputFolder(address, openStore);
  const { series, faults } = await readInput({ folder, asOfMs: now() });
  progress.end(`${series.length} chains, ${faults.length} faults`);
  for (const fault of faults.slice(0, FAULTS_SHOWN)) warn(formatInputFault(fault));
  if (series.length === 0) {
    throw new GeneratorError('input-invalid', `nothing of ${address} can be used; nothing was repaired`);
  }
  return series;
}

function report(result: RepairResult, options: RepairOptions, { warn, show }: CommandContext): ExitName {
  const { faults } = result;
  const remedy = remedyOf(result, options);
  for (const { key, message } of faults.slice(0, FAULTS_SHOWN)) warn(`${key}: ${message}`);
  if (faults.length > FAULTS_SHOWN)
    warn(`... and ${faults.length - FAULTS_SHOWN} more faults (--json lists all)`);
  if (remedy !== null) warn(`${faults.length} faults are left: ${remedy}`);
  show({ ...result, remedy }, formatRepair(result));
  return faults.length === 0 ? 'done' : 'damaged';
}

/** What the operator can do about the faults that are left. */
function remedyOf(
  { faults, pointer, candidate }: RepairResult,
  { input, store, pointer: asked }: RepairOptions,
): string | null {
  if (faults.length === 0) return null;
  const keys = faults.map(({ key }) => key);
  const steps: string[] = [];
  if (pointer === 'lost') {
    const revision = candidate?.revision ?? 'REVISION';
    steps.push(
      asked === undefined
        ? `the pointer is lost: give --pointer ${revision}`
        : 'the pointer was not restored',
    );
  }
  if (keys.some((key) => key.startsWith(OBJECTS_PREFIX) || key.startsWith(RELEASES_PREFIX))) {
    steps.push(
      input === undefined
        ? 'give --input DIR to rebuild objects'
        : `--input ${input} does not give what is lost: try the input of an earlier time, or generator copy --from BACKUP --to ${store}`,
    );
  }
  if (keys.some((key) => key.startsWith(PUBLIC_PREFIX)))
    steps.push('a public copy comes back with its object; remove by hand what no release names');
  return steps.length === 0 ? 'run "generator verify"' : steps.join('; ');
}

function formatRepair({ outcome, revision, sequence, pointer, restored, aliases }: RepairResult): string {
  const what = [
    ...(pointer === 'kept' ? [] : [`pointer ${pointer}`]),
    `${restored.length} objects put back`,
    `${aliases.objects} public copies written`,
  ];
  return `${outcome}: ${revision ?? 'no release'} (sequence ${sequence ?? 0}); ${what.join(', ')}`;
}

/** Parses a revision, with the digest of its record where the revision alone is ambiguous. */
function parsePointer(text: string): PointerRequest {
  const [, revision, sha256] = /^([^/]*)(?:\/([0-9a-f]{64}))?$/.exec(text) ?? [];
  if (revision === undefined)
    throw new InvalidArgumentError('write REVISION or, where that is ambiguous, REVISION/SHA-256.');
  return { revision: parseRevision(revision), ...(sha256 === undefined ? {} : { sha256 }) };
}
