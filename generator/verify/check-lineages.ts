import pMap from 'p-map';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { lineageManifestPath, objectKey } from '../../schemas/paths.js';
import type { Chain, DayLineage, Manifest, ManifestDate } from '../../schemas/types.generated.js';
import { formatLedger } from '../core/collection/ledger/ledger.js';
import { checkStoredFile, type Verifier } from './verifier.js';

const CONCURRENCY = 32;

/** Checks the lineages of a chain, if the release lists any. */
export async function checkLineages(verifier: Verifier, chain: Chain): Promise<void> {
  const path = lineageManifestPath(chain);
  const entry = verifier.record.manifests[path];
  if (entry === undefined) return;
  const { value, faults } = await checkStoredFile(verifier, path, { ...entry, schema: 'manifest' });
  if (value === undefined || faults.length > 0) return;
  const manifest = value as Manifest; // its schema was checked just above
  if (manifest.chain !== chain)
    verifier.faults.push({ key: objectKey(entry.sha256), message: `${path}: is of ${manifest.chain}` });
  await pMap(
    manifest.dates.flatMap((date) => [
      { date, version: date, ledger: date.ledger_sha256 },
      ...date.superseded.map((version) => ({ date, version, ledger: undefined })),
    ]),
    ({ date, version, ledger }) => checkLineage(verifier, chain, date, { ...version, ledger }),
    { concurrency: CONCURRENCY },
  );
}

/** A version of a lineage. `ledger`: the digest of its lines; only that of the current one is known. */
type Version = Pick<ManifestDate, 'sha256' | 'bytes'> & { readonly ledger: string | undefined };

async function checkLineage(
  verifier: Verifier,
  chain: Chain,
  { date, path }: ManifestDate,
  { sha256, bytes, ledger }: Version,
): Promise<void> {
  const { value, faults } = await checkStoredFile(verifier, path, { sha256, bytes, schema: 'day-lineage' });
  if (value === undefined || faults.length > 0) return;
  const lineage = value as DayLineage; // its schema was checked just above
  const isForeign = (each: { readonly chain: Chain; readonly date: string }): boolean =>
    each.chain !== chain || each.date !== date;
  const isWrong =
    isForeign(lineage) ||
    (ledger !== undefined && ledger !== sha256Hex(formatLedger(lineage.accepted.map(({ line }) => line)))) ||
    lineage.accepted.some(
      ({ line, document }) => isForeign(line) || line.lineage !== sha256Hex(canonicalJson(document)),
    );
  if (isWrong)
    verifier.faults.push({
      key: objectKey(sha256),
      message: `${path}: does not match its lines of the ledger`,
    });
}
