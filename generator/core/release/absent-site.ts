import type { ReleaseRecord, Site } from '../../../schemas/types.generated.js';
import { LOCAL_ADDRESS } from '../pages/site-address.js';
import type { InputFault } from '../input/input-series.js';

/**
 * Returns a warning about an input without `site.json` if the published release has a site. `site`: that of the input,
 * null without the file, `undefined` if it has faults.
 */
export function absentSiteFault(
  record: ReleaseRecord | undefined,
  site: Site | null | undefined,
): InputFault | undefined {
  if (site !== null || record?.site === undefined) return undefined;
  const { name, base_url } = record.site;
  const effect = `without it, pages lose its name and links, and the notebook and examples use ${LOCAL_ADDRESS}`;
  return {
    file: 'site.json',
    message: `is absent from the input, but the published release is for ${name} at ${base_url}; ${effect}`,
    remedy: 'put the file back and publish again, or ignore this if you removed it on purpose',
  };
}
