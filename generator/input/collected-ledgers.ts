import { CHAIN_IDS } from '../../schemas/catalog.js';
import { collectedKey, lineageManifestPath, COLLECTION_KEY } from '../../schemas/paths.js';
import type {
  Chain,
  CollectionPointer,
  LedgerLine,
  Lineage,
  Manifest,
} from '../../schemas/types.generated.js';
import { assertValid, SchemaError } from '../../schemas/validate.js';
import { codeOf } from '../../infra/store/system-error.js';
import { formatLedger, parseLedger } from '../core/collection/ledger.js';
import { GeneratorError } from '../core/generator-error.js';
import {
  chunksWithin,
  FileFaultError,
  INPUT_LIMITS,
  type InputFolder,
  type InputLimit,
  openCollected,
} from './input-folder.js';
import pMap from 'p-map';
import { sha256Hex } from '../../schemas/digest.js';
import type { NewLineages } from '../core/draft/lineages.js';
import type { PublishedState } from '../core/release/plan-types.js';

/** The lines of each ledger of a collection. */
type Ledgers = ReadonlyMap<Chain, readonly LedgerLine[]>;

/**
 * Reads the ledgers of a collection. @throws GeneratorError 'damaged' if one is missing or not what it should be.
 */
export async function readLedgers(folder: InputFolder, pointer: CollectionPointer): Promise<Ledgers> {
  const ledgers = new Map<Chain, readonly LedgerLine[]>();
  for (const chain of CHAIN_IDS) {
    const file = pointer.ledgers[chain];
    if (file === undefined) continue;
    const lines = await readCollected(folder, file.sha256, INPUT_LIMITS.ledgerFile, parseLedger);
    ledgers.set(chain, lines);
  }
  return ledgers;
}

/** Reads and parses a file of a collection. @throws GeneratorError 'damaged' if it is missing or not what it should be. */
function readCollected<T>(
  folder: InputFolder,
  sha256: string,
  limit: InputLimit,
  parse: (text: string) => T,
): Promise<T>;
/** Returns `undefined` for a missing file. */
function readCollected<T>(
  folder: InputFolder,
  sha256: string,
  limit: InputLimit,
  parse: (text: string) => T,
  options: { readonly mayBeAbsent: true },
): Promise<T | undefined>;
async function readCollected<T>(
  folder: InputFolder,
  sha256: string,
  limit: InputLimit,
  parse: (text: string) => T,
  { mayBeAbsent = false }: { readonly mayBeAbsent?: boolean } = {},
): Promise<T | undefined> {
  try {
    const chunks: Buffer[] = [];
    const source: AsyncIterable<Buffer> = await openCollected(folder, sha256, limit);
    for await (const chunk of chunksWithin(source, limit)) chunks.push(chunk);
    return parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    if (mayBeAbsent && codeOf(error) === 'ENOENT') return undefined;
    const isWrong = [SchemaError, SyntaxError, FileFaultError].some((each) => error instanceof each);
    if (!isWrong && codeOf(error) === undefined) throw error;
    const problem =
      error instanceof Error && isWrong ? error.message : `cannot be read (${codeOf(error) ?? ''})`;
    const key = collectedKey(sha256);
    throw new GeneratorError(
      'damaged',
      `${folder.address}: ${key} ${problem}. Restore it from a backup of the input.`,
      {
        cause: error,
      },
    );
  }
}

const CONCURRENCY = 16;

/**
 * Reads the lineages of the dates about which the ledger has other lines than those whose lineage is published. A date of
 * which the collection lacks a lineage, because an earlier program kept none, is left out.
 * @throws GeneratorError 'damaged' if a lineage is not what it should be.
 */
async function readNewLineages(
  folder: InputFolder,
  ledgers: Ledgers,
  published: (chain: NewLineages['chain']) => Manifest | undefined,
): Promise<NewLineages[]> {
  const found: NewLineages[] = [];
  for (const [chain, lines] of ledgers) {
    const known = new Map(
      published(chain)?.dates.map(({ date, status, ledger_sha256: sha256 }) => [
        date,
        status === 'withdrawn' ? undefined : sha256,
      ]),
    );
    const changed = [...groupByDate(lines)]
      .map(([date, each]) => ({ date, lines: each, ledgerSha256: sha256Hex(formatLedger(each)) }))
      .filter(({ date, ledgerSha256 }) => known.get(date) !== ledgerSha256);
    const read = await pMap(
      changed,
      async ({ date, lines: each, ledgerSha256 }) => {
        const documents = await Promise.all(each.map(({ lineage }) => readLineage(folder, lineage)));
        const accepted = each.flatMap((line, i) => {
          const document = documents[i];
          return document === undefined ? [] : [{ line, document }];
        });
        if (accepted.length < each.length) return [];
        return [{ ledgerSha256, document: { schema: 'day-lineage/1' as const, chain, date, accepted } }];
      },
      { concurrency: CONCURRENCY },
    );
    found.push({ chain, dates: read.flat() });
  }
  return found;
}

function readLineage(folder: InputFolder, sha256: string): Promise<Lineage | undefined> {
  const parse = (text: string): Lineage => assertValid('lineage', JSON.parse(text));
  return readCollected(folder, sha256, INPUT_LIMITS.lineageFile, parse, { mayBeAbsent: true });
}

function groupByDate(lines: readonly LedgerLine[]): Map<string, LedgerLine[]> {
  const groups = new Map<string, LedgerLine[]>();
  for (const line of lines) {
    const group = groups.get(line.date);
    if (group === undefined) groups.set(line.date, [line]);
    else group.push(line);
  }
  return groups;
}

/** The lines of the ledgers of a collection, by chain. */
export type RecordedLines = ReadonlyMap<Chain, readonly LedgerLine[]>;

/** The documents of a collection beside its metrics. */
export type CollectedInput = {
  /** The ledgers whose recorded changes are accepted; absent to accept none of them. */
  readonly recorded?: RecordedLines;
  /** Reads the lineages that are not published yet. */
  readonly readLineages?: (state: PublishedState | undefined) => Promise<readonly NewLineages[]>;
};

/**
 * Reads what a collection has beside its metrics; nothing of a folder that `generator collect` does not keep.
 * @throws GeneratorError 'usage' if its changes are to be accepted, but it is none; 'damaged' for a damaged ledger.
 */
export async function readCollectedInput(
  folder: InputFolder,
  { acceptCollected = false }: { readonly acceptCollected?: boolean },
): Promise<CollectedInput> {
  const pointer = folder.collection?.();
  if (pointer !== undefined) {
    const ledgers = await readLedgers(folder, pointer);
    return {
      ...(acceptCollected ? { recorded: ledgers } : {}),
      readLineages: (state) =>
        readNewLineages(folder, ledgers, (chain) => state?.manifests.get(lineageManifestPath(chain))),
    };
  }
  if (!acceptCollected) return {};
  throw new GeneratorError(
    'usage',
    `--accept-collected needs an input written by generator collect, but ${folder.address} has no ${COLLECTION_KEY}. Omit the option, or use --accept-restatements "<reason>" to accept changes by hand.`,
    { next: (args) => args.filter((arg) => arg !== '--accept-collected') },
  );
}
