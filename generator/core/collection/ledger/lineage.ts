import { canonicalJson } from '../../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import { assertValid } from '../../../../schemas/validate.js';
import type { CollectedDay } from '../values/collected-day.js';
import type { Finding } from '../finding.js';

/** The origin of the values of a day and the findings in them, as text that its digest names. */
export type Lineage = { readonly source: string; readonly text: string; readonly sha256: string };

/** Writes the lineage of a day: the source and its evidence, its values and raw counts, and the findings of the rules. */
export function toLineage(
  source: string,
  { chain, date, values, counts, evidence }: CollectedDay,
  findings: readonly Finding[],
): Lineage {
  const document = {
    schema: 'lineage/1',
    ...{ chain, date, source, values, counts, evidence, findings },
  };
  const text = canonicalJson(assertValid('lineage', document));
  return { source, text, sha256: sha256Hex(text) };
}
