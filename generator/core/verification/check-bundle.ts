import { canonicalJson } from '../../../schemas/canonical-json.js';
import { WINDOWS } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Bundle, Manifest } from '../../../schemas/types.generated.js';
import { entriesInWindow } from '../artifacts/bundle.js';

/** Returns the faults of a bundle compared with its manifest: each element must equal a listed day file. */
export function checkBundle(bundle: Bundle, manifest: Manifest): string[] {
  const entries = entriesInWindow(manifest.dates, WINDOWS[bundle.window]);
  const faults: string[] = [];
  if (bundle.days.length !== entries.length) {
    faults.push(`contains ${bundle.days.length} days, not the last ${entries.length} of the manifest`);
  }
  entries.forEach((entry, i) => {
    const day = bundle.days[i];
    if (day !== undefined && sha256Hex(canonicalJson(day)) !== entry.sha256) {
      faults.push(`element ${i} differs from the day file of ${entry.date} in the manifest`);
    }
  });
  const edges = [entries[0]?.date, entries.at(-1)?.date, manifest.updated_through].join(' ');
  const found = [bundle.first_date, bundle.last_date, bundle.updated_through].join(' ');
  if (found !== edges) faults.push(`first, last and updated_through are ${found}, not ${edges}`);
  return faults;
}
