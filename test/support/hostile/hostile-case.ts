import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CommandContext } from '../../../generator/commands/common/options.js';
import { createProgram } from '../../../generator/cli.js';
import type { ExitName } from '../../../generator/core/generator-error.js';
import { SILENT } from '../../../generator/run/progress.js';
import { explainError } from '../../../generator/terminal/diagnostics.js';
import { PLAIN } from '../../../infra/process/paint.js';
import { runCommandLine } from '../../../infra/process/command-line.js';
import { assertKey } from '../../../infra/store/object-key.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { parseInstant } from '../../../schemas/dates.js';
import { manifestPath, POINTER_KEY, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { formatTrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { pick } from '../random/seeded.js';
import { readListed } from '../release/edit-store.js';
import { forgeRelease } from '../release/forge-release.js';
import { editorOf } from '../release/memory-editor.js';
import { createMemoryStore } from '../stores/memory-store.js';
import { BODY_CHANGES, changeBody, changeJson } from './hostile-answers.js';
import { createHostileStore, type HostileStore } from './hostile-store.js';
import { NOW, type Truth } from './hostile-truth.js';

const NOW_MS = parseInstant(NOW) ?? NaN;
/** The time of a garbage collection, at which what no release names is old. */
const LATER_MS = parseInstant('2025-01-20T00:00:00Z') ?? NaN;
/** Addresses of the hostile store and of those that answer truly. */
const HOSTILE = 's3://hostile/store';
const OWN = 's3://own/store';
const INPUT = 's3://own/input';
/** Growth of the heap from which on garbage is collected to measure it. */
const MEASURED_BYTES = 100_000_000;

export type HostileCommand = 'verify' | 'copy' | 'repair' | 'gc';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // a function with the flag above

/** A case: a command line, and the stores that it names. */
export type HostileCase = {
  readonly args: readonly string[];
  readonly hostile: HostileStore;
  /** The other store of a copy, which answers truly. */
  readonly own: ObjectStore;
  /** True if the command may write to the hostile store. */
  readonly isTarget: boolean;
  readonly isTrusting: boolean;
  /** What was done to the store before, for messages. */
  readonly done: string;
  readonly heapBytes: () => number;
};

/** Draws a case of a command. */
export async function drawCase(
  truth: Truth,
  command: HostileCommand,
  random: () => number,
): Promise<HostileCase> {
  const clock = { nowMs: command === 'gc' ? LATER_MS : NOW_MS };
  const isTarget = command === 'copy' ? random() < 0.2 : command !== 'verify';
  const others = [createMemoryStore(() => clock.nowMs), await truth.before.create(clock)];
  const isForeign = !isTarget && random() < 0.05;
  const whole = await (isForeign ? truth.foreign : truth.copies).create(clock);
  const other = pick([...others, await truth.copies.create(clock)], random);
  const [behind, own] = command === 'copy' && isTarget ? [other, whole] : [whole, other];
  const done = isForeign
    ? 'signed by another root key'
    : random() < DAMAGED[command]
      ? await damage(truth, behind, random)
      : 'nothing';
  const isLost = command === 'repair' && random() < 0.25;
  if (isLost) await behind.delete(POINTER_KEY);
  const heap = createHeapWatch();
  const hostile = createHostileStore(behind, {
    keys: truth.keys,
    random,
    address: HOSTILE,
    isTarget,
    onOperation: heap.look,
  });
  const isTrusting = (command === 'verify' || command === 'copy') && random() < 0.75;
  const revisions = [...truth.releases.values()].map(({ revision }) => revision);
  const args = [
    ...drawArguments(command, { random, isTarget, isLost, revisions }),
    ...(isTrusting ? ['--trust', formatTrustAnchor(truth.site.anchor)] : []),
    ...(random() < 0.2 ? ['--json'] : []),
  ];
  return {
    args,
    hostile,
    own: { ...own, address: OWN, head: async (key: string) => own.head(assertKey(key)) },
    isTarget,
    isTrusting,
    done,
    heapBytes: heap.most,
  };
}

/** Part of the cases in which the store is damaged or forged, too. */
const DAMAGED: { readonly [command in HostileCommand]: number } = {
  verify: 0.4,
  copy: 0.3,
  repair: 0.4,
  gc: 0.1,
};

type DrawOptions = {
  readonly random: () => number;
  readonly isTarget: boolean;
  /** True if the pointer was deleted. */
  readonly isLost: boolean;
  readonly revisions: readonly string[];
};

function drawArguments(
  command: HostileCommand,
  { random, isTarget, isLost, revisions }: DrawOptions,
): string[] {
  const some = (probability: number, ...words: readonly string[]): readonly string[] =>
    random() < probability ? words : [];
  const revision = pick(revisions, random);
  switch (command) {
    case 'verify':
      return ['verify', '--store', HOSTILE, ...some(0.1, '--deep')];
    case 'gc':
      return ['gc', '--store', HOSTILE, '--grace-hours', '48', ...some(0.8, '--apply')];
    case 'repair': {
      const pointer = isLost ? some(0.8, '--pointer', revision) : [];
      return [
        'repair',
        '--store',
        HOSTILE,
        ...some(0.3, '--input', INPUT),
        ...some(0.2, '--sign'),
        ...pointer,
      ];
    }
    case 'copy': {
      const choices = [
        [],
        [],
        ['--prune'],
        ['--prune', '--apply'],
        ['--delay', '0'],
        ['--to-revision', revision],
      ];
      const [from, to] = isTarget ? [OWN, HOSTILE] : [HOSTILE, OWN];
      return ['copy', '--from', from, '--to', to, ...pick(choices, random)];
    }
  }
}

/** Damages the true store: some objects, or a release whose digests all match but that nobody has signed. */
async function damage({ keys, bodies }: Truth, store: ObjectStore, random: () => number): Promise<string> {
  const editor = editorOf(store);
  const isWhole = (await store.head(POINTER_KEY)) !== undefined;
  if (!isWhole || random() < 0.4) {
    const changed = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(keys, random));
    for (const key of changed) {
      if (random() < 0.4) await editor.remove(key);
      else {
        const [bytes, other] = [key, pick(keys, random)].map((each) => Buffer.from(bodies.get(each) ?? []));
        const given = {
          bytes: bytes ?? Buffer.alloc(0),
          other: other ?? Buffer.alloc(0),
          maxBytes: 20_000_000,
          random,
        };
        await editor.write(key, changeBody(pick(BODY_CHANGES, random), given));
      }
    }
    return `damaged ${changed.join(', ')}`;
  }
  const paths = [PUBLIC_PATHS.status, PUBLIC_PATHS.landing, PUBLIC_PATHS.changes, PUBLIC_PATHS.release];
  const path = pick(
    [...paths, manifestPath('gold', 'arbitrum'), manifestPath('meta', 'arbitrum'), 'the record'],
    random,
  );
  if (path === 'the record') {
    await forgeRelease(
      editor,
      {},
      (record) =>
        JSON.parse(changeJson(JSON.stringify(record), random).replaceAll('\\ud800', '?')) as ReleaseRecord,
    ); // any document
    return 'forged the record';
  }
  const schema = path.includes('manifest') ? 'manifest' : (path.split('/').at(-1) as 'status'); // one of four
  const text = changeJson(JSON.stringify(await readListed(editor, path, schema)), random);
  await forgeRelease(editor, { [path]: text });
  return `forged ${path}`;
}

/** Size of the heap before the first case. */
let firstBytes: number | undefined;

function heapBytes(): number {
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  return used + external;
}

/** Returns a watch of the heap: `look` notes how much it has grown since the first case, and `most` returns the most. */
function createHeapWatch(): { readonly look: () => void; readonly most: () => number } {
  if (firstBytes === undefined) collectGarbage();
  const before = (firstBytes ??= heapBytes());
  let most = 0;
  return {
    look() {
      if (heapBytes() - before > MEASURED_BYTES) collectGarbage();
      most = Math.max(most, heapBytes() - before);
    },
    most: () => most,
  };
}

/** Runs a command line of a case, with its stores, and returns the exit and what was said. */
export async function runCase(
  truth: Truth,
  { args, hostile, own }: HostileCase,
): Promise<{ readonly exit: ExitName; readonly said: string }> {
  let exit: ExitName = 'usage';
  const said: string[] = [];
  const tell = (text: string): void => void said.push(text);
  const input = await truth.input.create();
  const context: CommandContext = {
    show: (_document, text) => tell(text),
    paint: PLAIN,
    warn: tell,
    commandLine: { program: ['generator'], args },
    now: () => NOW_MS,
    progress: SILENT,
    signal: new AbortController().signal,
    openStore: (address) =>
      Promise.resolve(address === HOSTILE ? hostile.store : address === OWN ? own : input),
    openSigning: () => Promise.resolve(truth.site.signingAt(NOW)),
  };
  const host: Parameters<typeof createProgram>[0] = {
    async run(_name, _options, work) {
      try {
        exit = await work(context);
      } catch (error) {
        const explained = explainError(error);
        exit = explained.exit;
        tell(explained.message);
      }
    },
  };
  const output = { print: tell, warn: tell };
  await runCommandLine(createProgram(host, output), args, output);
  return { exit, said: said.join('\n') };
}
