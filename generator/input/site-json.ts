import type { Site } from '../../schemas/types.generated.js';
import { findAllSchemaFaults } from '../../schemas/validate.js';
import type { InputFault } from '../core/input/input-fault.js';
import type { InputFolder } from './input-folder.js';
import { INPUT_LIMITS } from './input-limits.js';
import { MAX_FAULTS, readJsonFile, toJsonFault } from './json-file.js';

export const SITE_FILE = 'site.json';
const EXAMPLE = '{"name": "...", "base_url": "https://data.example.com"}';
const REMEDY = `write for example ${EXAMPLE}; generator/README.md lists the members`;

/** The site of an input: null without the file, absent if it has faults. */
type SiteResult = { readonly site?: Site | null; readonly faults: readonly InputFault[] };

/** Reads `site.json` of `folder`, whose files are `names`. */
export async function readSiteJson(folder: InputFolder, names: readonly string[]): Promise<SiteResult> {
  if (!names.includes(SITE_FILE)) return { site: null, faults: [] };
  const file = { name: SITE_FILE, limit: INPUT_LIMITS.siteFile, example: EXAMPLE };
  const json = await readJsonFile(folder, file, `make it readable, or remove it`);
  if ('faults' in json) return { faults: json.faults };
  const value: unknown = JSON.parse(json.text);
  const faults = findAllSchemaFaults('site', value).map(({ pointer, message }) =>
    toJsonFault(SITE_FILE, json, { path: pointer.split('/').slice(1), message, remedy: REMEDY }),
  );
  return faults.length > 0 ? { faults: faults.slice(0, MAX_FAULTS) } : { site: value as Site, faults }; // its schema was checked above
}
