import { parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, FileChecks, SourceSegment, Sources } from '../../schemas/types.generated.js';
import type { InputFault } from '../core/input/input-fault.js';
import { describeReadError, type FileFault } from './file-fault.js';
import type { InputFolder } from './input-folder.js';
import { chunksWithin, describeExcess, INPUT_LIMITS } from './input-limits.js';
import { measureNesting } from './json-nesting.js';
import { EXAMPLE, findSourcesFaults, placeOf, SOURCES_FILE } from './sources-faults.js';
import { createTextReader } from './text-reader.js';

/** The sources of each valid chain, the checks of the CSV files, and the faults of the file. */
export type SourcesResult = {
  readonly sources: { readonly [chain in Chain]?: readonly SourceSegment[] };
  readonly checks: FileChecks;
  readonly faults: readonly InputFault[];
};

/** Reads `sources.json` of `folder`. A fault in the list of one chain does not affect the others. */
export async function readSourcesJson(folder: InputFolder): Promise<SourcesResult> {
  const source = await folder.open(SOURCES_FILE, INPUT_LIMITS.sourcesFile);
  try {
    return parseSources(await readText(source));
  } catch (error) {
    return refuse(
      describeReadError(error, `put ${SOURCES_FILE} beside the CSV files, for example ${EXAMPLE}`),
    );
  } finally {
    source.destroy();
  }
}

async function readText(source: AsyncIterable<Buffer>): Promise<string> {
  const { sourcesFile } = INPUT_LIMITS;
  const lines: string[] = [];
  for await (const line of createTextReader(chunksWithin(source, sourcesFile), sourcesFile).lines())
    lines.push(line);
  return lines.join('').replace(/^\ufeff/, '');
}

/** Parses the text of `sources.json`, and locates each fault by line and column. */
function parseSources(text: string): SourcesResult {
  const { sourcesDepth } = INPUT_LIMITS;
  const { depth, excessAt } = measureNesting(text, sourcesDepth.max);
  if (excessAt !== undefined) {
    const message = `the nesting ${describeExcess(sourcesDepth, depth)}`;
    return refuse({ ...placeOf(text, excessAt), message, remedy: `write ${EXAMPLE}` });
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    const message = `not JSON: ${error === undefined ? 'empty' : printParseErrorCode(error.error)}`;
    return refuse({ ...placeOf(text, error?.offset ?? 0), message, remedy: `write ${EXAMPLE}` });
  }
  const faults = findSourcesFaults(text, root);
  if (faults.some((fault) => fault.chain === undefined)) return { sources: {}, checks: {}, faults };
  const value = JSON.parse(text) as Sources; // its schema was checked above
  const valid = CHAIN_IDS.filter((chain) => !faults.some((fault) => fault.chain === chain));
  const sources = Object.fromEntries(valid.flatMap((chain) => (value[chain] ? [[chain, value[chain]]] : [])));
  return { sources, checks: value.files ?? {}, faults };
}

function refuse(fault: FileFault): SourcesResult {
  return { sources: {}, checks: {}, faults: [{ file: SOURCES_FILE, ...fault }] };
}
