import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, FileChecks, SourceSegment, Sources } from '../../schemas/types.generated.js';
import type { InputFault } from '../core/input/input-fault.js';
import type { InputFolder } from './input-folder.js';
import { INPUT_LIMITS } from './input-limits.js';
import { readJsonFile } from './json-file.js';
import { EXAMPLE, findSourcesFaults, SOURCES_FILE } from './sources-faults.js';

/** The sources of each valid chain, the checks of the CSV files, and the faults of the file. */
type SourcesResult = {
  readonly sources: { readonly [chain in Chain]?: readonly SourceSegment[] };
  readonly checks: FileChecks;
  readonly faults: readonly InputFault[];
};

/** Reads `sources.json` of `folder`. A fault in the list of one chain does not affect the others. */
export async function readSourcesJson(folder: InputFolder): Promise<SourcesResult> {
  const file = { name: SOURCES_FILE, limit: INPUT_LIMITS.sourcesFile, example: EXAMPLE };
  const missing = `put ${SOURCES_FILE} beside the CSV files, for example ${EXAMPLE}`;
  const json = await readJsonFile(folder, file, missing);
  if ('faults' in json) return { sources: {}, checks: {}, faults: json.faults };
  const faults = findSourcesFaults(json);
  if (faults.some((fault) => fault.chain === undefined)) return { sources: {}, checks: {}, faults };
  const value = JSON.parse(json.text) as Sources; // its schema was checked above
  const valid = CHAIN_IDS.filter((chain) => !faults.some((fault) => fault.chain === chain));
  const sources = Object.fromEntries(valid.flatMap((chain) => (value[chain] ? [[chain, value[chain]]] : [])));
  return { sources, checks: value.files ?? {}, faults };
}
