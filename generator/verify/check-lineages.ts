import pMap from 'p-map';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { lineageManifestPath, objectKey } from '../../schemas/paths.js';
import type { Chain, DayLineage, Manifest, ManifestDate } from '../../schemas/types.generated.js';
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
    manifest.dates.flatMap((date) => [date, ...date.superseded].map((version) => ({ date, version }))),
    ({ date, version }) => checkLineage(verifier, chain, date, version),
    { concurrency: CONCURRENCY },
  );
}

async function checkLineage(
  verifier: Verifier,
  chain: Chain,
  { date, path }: ManifestDate,
  { sha256, bytes }: Pick<ManifestDate, 'sha256' | 'bytes'>,
): Promise<void> {
  const { value, faults } = await checkStoredFile(verifier, path, { sha256, bytes, schema: 'day-lineage' });
  if (value === undefined || faults.length > 0) return;
  const lineage = value as DayLineage; // its schema was checked just above
  const isForeign = (each: { readonly chain: Chain; readonly date: string }): boolean =>
    each.chain !== chain || each.date !== date;
  const isWrong =
    isForeign(lineage) ||
    lineage.accepted.some(
      ({ line, document }) => isForeign(line) || line.lineage !== sha256Hex(canonicalJson(document)),
    );
  if (isWrong)
    verifier.faults.push({
      key: objectKey(sha256),
      message: `${path}: does not match its lines of the ledger`,
    });
}
