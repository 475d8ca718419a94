import { CHAIN_IDS } from '../../schemas/catalog.js';
import { collectedKey } from '../../schemas/paths.js';
import type { Chain, CollectionPointer, LedgerLine } from '../../schemas/types.generated.js';
import { SchemaError } from '../../schemas/validate.js';
import { codeOf } from '../../infra/store/system-error.js';
import { parseLedger } from '../core/collection/ledger/ledger.js';
import { GeneratorError } from '../core/generator-error.js';
import { openCollected } from './collected-folder.js';
import { FileFaultError } from './file-fault.js';
import type { InputFolder } from './input-folder.js';
import { chunksWithin, INPUT_LIMITS, type InputLimit } from './input-limits.js';

/** The lines of each ledger of a collection. */
export type Ledgers = ReadonlyMap<Chain, readonly LedgerLine[]>;

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
export function readCollected<T>(
  folder: InputFolder,
  sha256: string,
  limit: InputLimit,
  parse: (text: string) => T,
): Promise<T>;
/** Returns `undefined` for a missing file. */
export function readCollected<T>(
  folder: InputFolder,
  sha256: string,
  limit: InputLimit,
  parse: (text: string) => T,
  options: { readonly mayBeAbsent: true },
): Promise<T | undefined>;
export async function readCollected<T>(
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
