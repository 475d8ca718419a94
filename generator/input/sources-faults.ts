import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, SourceSegment } from '../../schemas/types.generated.js';
import { findAllSchemaFaults } from '../../schemas/validate.js';
import type { InputFault } from '../core/input/input-fault.js';
import { describeExcess, INPUT_LIMITS } from './input-limits.js';
import { MAX_FAULTS, toJsonFault, type FaultAt, type JsonText } from './json-file.js';

export const SOURCES_FILE = 'sources.json';
export const EXAMPLE = '{"bitcoin": [{"name": "...", "licence": "..."}]}';

const SEGMENT = 'each segment has name and licence, and may have from, attribution, url, notes, schedule';
const FILES_REMEDY = 'write for example "files": {"bitcoin": {"rows": 365, "sha256": "<64 hex digits>"}}';

/** Returns the faults of the content of `sources.json`, up to 20 for each chain. A fault without a chain concerns all. */
export function findSourcesFaults(json: JsonText): InputFault[] {
  const value: unknown = JSON.parse(json.text);
  const locate = (faults: readonly FaultAt[]): InputFault[] =>
    faults.slice(0, MAX_FAULTS).map((fault) => toFault(json, fault));
  const common = locate(schemaFaults(withoutChains(value), `write ${EXAMPLE}`));
  if (common.length > 0) return common;
  const lists = new Map(Object.entries(value as object)); // it is an object: its schema was checked above
  return CHAIN_IDS.flatMap((chain) => {
    const list: unknown = lists.get(chain);
    return list === undefined ? [] : locate(listFaults(chain, list));
  });
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

function toFault(json: JsonText, fault: FaultAt): InputFault {
  const chain = CHAIN_IDS.find((each) => each === fault.path[0]);
  return { ...(chain ? { chain } : {}), ...toJsonFault(SOURCES_FILE, json, fault) };
}
