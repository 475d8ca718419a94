import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, FileChecks, SourceSegment, Sources } from '../../schemas/types.generated.js';
import { findAllSchemaFaults } from '../../schemas/validate.js';
import { codeOf } from '../../infra/store/system-error.js';
import type { InputFault } from '../core/input/input-fault.js';
import type { InputFolder } from './input-folder.js';

const FILE = 'sources.json';
const EXAMPLE = '{"bitcoin": [{"name": "...", "licence": "..."}]}';

const CHECKS = 'write for example {"bitcoin": {"rows": 365, "sha256": "<64 hex digits>"}}';

/** The sources of each valid chain, the checks of the CSV files, and the faults of the file. */
export type SourcesResult = {
  readonly sources: { readonly [chain in Chain]?: readonly SourceSegment[] };
  readonly checks: FileChecks;
  readonly faults: readonly InputFault[];
};

/** Reads `sources.json` of `folder`. A fault in the list of one chain does not affect the others. */
export async function readSourcesJson(folder: InputFolder): Promise<SourcesResult> {
  const source = await folder.open(FILE);
  let bytes: Uint8Array;
  try {
    bytes = await buffer(source);
  } catch (error) {
    const code = codeOf(error) ?? 'unreadable';
    const remedy = `put ${FILE} beside the CSV files, for example ${EXAMPLE}`;
    return { sources: {}, checks: {}, faults: [{ file: FILE, message: `cannot be read (${code})`, remedy }] };
  }
  if (!isUtf8(bytes)) {
    const remedy = 'save the file as UTF-8';
    const line = linesBeforeFault(bytes) + 1;
    return { sources: {}, checks: {}, faults: [{ file: FILE, line, message: 'the text is not UTF-8', remedy }] };
  }
  return parseSources(new TextDecoder().decode(bytes));
}

function linesBeforeFault(bytes: Uint8Array): number {
  let end = bytes.indexOf(0x0a);
  for (let line = 0; ; line += 1) {
    if (end < 0 || !isUtf8(bytes.subarray(0, end))) return line;
    end = bytes.indexOf(0x0a, end + 1);
  }
}

/** Parses the text of `sources.json`, and locates each fault by line and column. */
function parseSources(text: string): SourcesResult {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    const message = `not JSON: ${error === undefined ? 'empty' : printParseErrorCode(error.error)}`;
    return {
      sources: {},
      checks: {},
      faults: [{ file: FILE, ...placeOf(text, error?.offset ?? 0), message, remedy: `write ${EXAMPLE}` }],
    };
  }
  const faults = findFaults(text, root);
  if (faults.some((fault) => fault.chain === undefined)) return { sources: {}, checks: {}, faults };
  const value = JSON.parse(text) as Sources; // its schema was checked above
  const valid = CHAIN_IDS.filter((chain) => !faults.some((fault) => fault.chain === chain));
  const sources = Object.fromEntries(valid.flatMap((chain) => (value[chain] ? [[chain, value[chain]]] : [])));
  return { sources, checks: value.files ?? {}, faults };
}

function findFaults(text: string, root: Node): InputFault[] {
  const faults: InputFault[] = duplicates(root).map((node) => ({
    file: FILE,
    ...placeOf(text, node.offset),
    message: `member "${String(node.value)}" appears twice`,
    remedy: 'keep one of them',
  }));
  if (faults.length > 0) return faults;
  const value: unknown = JSON.parse(text);
  const lists =
    typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : new Map<string, unknown>();
  for (const { pointer, message } of findAllSchemaFaults('sources', withoutChains(value))) {
    const segments = pointer.split('/').slice(1);
    const remedy = segments[0] === 'files' ? CHECKS : `write ${EXAMPLE}`;
    faults.push(toFault(text, root, segments, message, remedy));
  }
  for (const chain of CHAIN_IDS) {
    if (faults.length > 0 && faults[0]?.chain === undefined) break;
    const part: unknown = lists.get(chain);
    if (part === undefined) continue;
    const schemaFaults = findAllSchemaFaults('sources', { [chain]: part });
    const remedy = 'each segment has name and licence, and may have from, attribution, url, notes';
    for (const { pointer, message } of schemaFaults) {
      faults.push(toFault(text, root, pointer.split('/').slice(1), message, remedy));
    }
    if (schemaFaults.length === 0) {
      faults.push(...segmentFaults(text, root, chain, part as SourceSegment[])); // its schema was checked above
    }
  }
  return faults;
}

/** Returns the value without the lists of known chains, which are checked one by one. */
function withoutChains(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const chains: readonly string[] = CHAIN_IDS;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !chains.includes(key)));
}

function segmentFaults(
  text: string,
  root: Node,
  chain: Chain,
  segments: readonly SourceSegment[],
): InputFault[] {
  return segments.flatMap((segment, i) => {
    const before = segments[i - 1]?.from;
    const at = (message: string, remedy: string): InputFault =>
      toFault(
        text,
        root,
        [chain, String(i), ...(segment.from === undefined ? [] : ['from'])],
        message,
        remedy,
      );
    if (i === 0) {
      return segment.from === undefined
        ? []
        : [at('the first segment has a "from"', 'remove it: the first segment starts with the first date')];
    }
    if (segment.from === undefined) return [at('"from" is missing', 'add the first date of this source')];
    if (before !== undefined && segment.from <= before)
      return [at(`"from" ${segment.from} is not later than the one before`, 'sort the segments by "from"')];
    return [];
  });
}

function toFault(
  text: string,
  root: Node,
  segments: readonly string[],
  message: string,
  remedy: string,
): InputFault {
  const location = segments.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const node = findNodeAtLocation(root, location) ?? root;
  const chain = CHAIN_IDS.find((each) => each === segments[0]);
  const where = segments.length === 0 ? '' : `${segments.join('/')} `;
  return {
    ...(chain ? { chain } : {}),
    file: FILE,
    ...placeOf(text, node.offset),
    message: where + message,
    remedy,
  };
}

function duplicates(node: Node): Node[] {
  const children = node.children ?? [];
  const keys = node.type === 'object' ? children.flatMap((property) => property.children?.[0] ?? []) : [];
  const repeated = keys.filter((key, i) => keys.findIndex((other) => other.value === key.value) < i);
  return [...repeated, ...children.flatMap(duplicates)];
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
