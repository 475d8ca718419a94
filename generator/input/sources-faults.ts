import { findNodeAtLocation, type Node } from 'jsonc-parser';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, SourceSegment } from '../../schemas/types.generated.js';
import { findAllSchemaFaults } from '../../schemas/validate.js';
import type { InputFault } from '../core/input/input-fault.js';
import { describeExcess, INPUT_LIMITS } from './input-limits.js';

export const SOURCES_FILE = 'sources.json';
export const EXAMPLE = '{"bitcoin": [{"name": "...", "licence": "..."}]}';

const SEGMENT = 'each segment has name and licence, and may have from, attribution, url, notes, schedule';
const FILES_REMEDY = 'write for example "files": {"bitcoin": {"rows": 365, "sha256": "<64 hex digits>"}}';
/** Maximum number of faults of the list of each chain, and of those that concern all chains; maximum length of each. */
const MAX_FAULTS = 20;
const MAX_MESSAGE = 200;

/** A fault at a path of members and indexes. */
type FaultAt = { readonly path: readonly string[]; readonly message: string; readonly remedy: string };

/**
 * Returns the faults of the content of `sources.json`, up to 20 for each chain. A fault without a chain concerns all.
 * Preconditions: `root` is the tree of `text`, which is valid JSON; its nesting is limited.
 */
export function findSourcesFaults(text: string, root: Node): InputFault[] {
  const repeated = duplicates(root).slice(0, MAX_FAULTS);
  if (repeated.length > 0)
    return repeated.map((node) => ({
      file: SOURCES_FILE,
      ...placeOf(text, node.offset),
      message: shorten(`member "${String(node.value)}" appears twice`),
      remedy: 'keep one of them',
    }));
  const value: unknown = JSON.parse(text);
  const locate = (faults: readonly FaultAt[]): InputFault[] =>
    faults.slice(0, MAX_FAULTS).map((fault) => toFault(text, root, fault));
  const common = locate(schemaFaults(withoutChains(value), `write ${EXAMPLE}`));
  if (common.length > 0) return common;
  const lists = new Map(Object.entries(value as object)); // it is an object: its schema was checked above
  return CHAIN_IDS.flatMap((chain) => {
    const list: unknown = lists.get(chain);
    return list === undefined ? [] : locate(listFaults(chain, list));
  });
}

/** Returns the line and column of an offset, counted from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function duplicates(node: Node): Node[] {
  const children = node.children ?? [];
  const keys = node.type === 'object' ? children.flatMap((property) => property.children?.[0] ?? []) : [];
  const seen = new Set<unknown>();
  const repeated = keys.filter(({ value }) => seen.size === seen.add(value).size);
  return [...repeated, ...children.flatMap((child) => duplicates(child))];
}

/** Returns the value without the lists of known chains, which are checked one by one. */
function withoutChains(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const chains: readonly string[] = CHAIN_IDS;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !chains.includes(key)));
}

function schemaFaults(value: unknown, remedy: string): FaultAt[] {
  return findAllSchemaFaults('sources', value).map(({ pointer, message }) => {
    const path = pointer.split('/').slice(1);
    return { path, message, remedy: path[0] === 'files' ? FILES_REMEDY : remedy };
  });
}

function listFaults(chain: Chain, list: unknown): FaultAt[] {
  const limit = INPUT_LIMITS.sourcesSegments;
  if (Array.isArray(list) && list.length > limit.max)
    return [{ path: [chain], message: describeExcess(limit, list.length), remedy: 'remove old segments' }];
  const faults = schemaFaults({ [chain]: list }, SEGMENT);
  if (faults.length > 0) return faults;
  const segments = list as readonly SourceSegment[]; // its schema was checked above
  return segments.flatMap((segment, i) => [
    ...textFaults([chain, String(i)], segment),
    ...orderFaults([chain, String(i)], segments, i),
  ]);
}

function textFaults(path: readonly string[], segment: SourceSegment): FaultAt[] {
  const limit = INPUT_LIMITS.sourcesText;
  const { schedule, ...texts } = segment;
  return Object.entries<string>(texts)
    .filter(([, text]) => text.length > limit.max)
    .map(([name, text]) => ({
      path: [...path, name],
      message: describeExcess(limit, text.length),
      remedy: 'shorten it',
    }));
}

/** Returns the faults of the `from` of a segment: the first segment must have none, and the others must ascend. */
function orderFaults(path: readonly string[], segments: readonly SourceSegment[], i: number): FaultAt[] {
  const from = segments[i]?.from;
  const before = segments[i - 1]?.from;
  const at = from === undefined ? path : [...path, 'from'];
  const fault = (message: string, remedy: string): FaultAt[] => [{ path: at, message, remedy }];
  if (i === 0)
    return from === undefined
      ? []
      : fault('the first segment has a "from"', 'remove it: the first segment starts with the first date');
  if (from === undefined) return fault('"from" is missing', 'add the first date of this source');
  return before !== undefined && from <= before
    ? fault(`"from" ${from} is not later than the one before`, 'sort the segments by "from"')
    : [];
}

function toFault(text: string, root: Node, { path, message, remedy }: FaultAt): InputFault {
  const location = path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const node = findNodeAtLocation(root, location) ?? root;
  const chain = CHAIN_IDS.find((each) => each === path[0]);
  const where = path.length === 0 ? '' : `${path.join('/')} `;
  return {
    ...(chain ? { chain } : {}),
    file: SOURCES_FILE,
    ...placeOf(text, node.offset),
    message: shorten(where + message),
    remedy,
  };
}

function shorten(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}...` : message;
}
