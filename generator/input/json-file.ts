import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { InputFault } from '../core/input/input-series.js';
import {
  chunksWithin,
  createTextReader,
  describeExcess,
  describeReadError,
  type FileFault,
  INPUT_LIMITS,
  type InputFolder,
  type InputLimit,
} from './input-folder.js';

/** Maximum number of faults of a file or part of one; maximum length of a message. */
export const MAX_FAULTS = 20;
const MAX_MESSAGE = 200;

/** A JSON file of the input. */
type JsonFile = {
  readonly name: string;
  readonly limit: InputLimit;
  /** A short valid content, for messages. */
  readonly example: string;
};

/** The text of a JSON file with its tree. No object has two members of one name. */
export type JsonText = { readonly text: string; readonly root: Node };

/** A fault at a path of members and indexes. */
export type FaultAt = { readonly path: readonly string[]; readonly message: string; readonly remedy: string };

/** Reads a JSON file of `folder`; `missing` says what to do if it cannot be read. */
export async function readJsonFile(
  folder: InputFolder,
  file: JsonFile,
  missing: string,
): Promise<JsonText | { readonly faults: readonly InputFault[] }> {
  const source = await folder.open(file.name, file.limit);
  try {
    const lines: string[] = [];
    for await (const line of createTextReader(chunksWithin(source, file.limit), file.limit).lines())
      lines.push(line);
    return parseJson(lines.join('').replace(/^\ufeff/, ''), file);
  } catch (error) {
    return { faults: [{ file: file.name, ...describeReadError(error, missing) }] };
  } finally {
    source.destroy();
  }
}

function parseJson(
  text: string,
  { name, example }: JsonFile,
): JsonText | { readonly faults: readonly InputFault[] } {
  const refuse = (fault: FileFault) => ({ faults: [{ file: name, ...fault }] });
  const { jsonDepth } = INPUT_LIMITS;
  const { depth, excessAt } = measureNesting(text, jsonDepth.max);
  if (excessAt !== undefined) {
    const message = `the nesting ${describeExcess(jsonDepth, depth)}`;
    return refuse({ ...placeOf(text, excessAt), message, remedy: `write ${example}` });
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    const message = `not JSON: ${error === undefined ? 'empty' : printParseErrorCode(error.error)}`;
    return refuse({ ...placeOf(text, error?.offset ?? 0), message, remedy: `write ${example}` });
  }
  const repeated = duplicates(root).slice(0, MAX_FAULTS);
  if (repeated.length === 0) return { text, root };
  return {
    faults: repeated.map((node) => ({
      file: name,
      ...placeOf(text, node.offset),
      message: shorten(`member "${String(node.value)}" appears twice`),
      remedy: 'keep one of them',
    })),
  };
}

/** Returns a fault of a file with its line and column. */
export function toJsonFault(
  file: string,
  { text, root }: JsonText,
  { path, message, remedy }: FaultAt,
): InputFault {
  const location = path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const node = findNodeAtLocation(root, location) ?? root;
  const where = path.length === 0 ? '' : `${path.join('/')} `;
  return { file, ...placeOf(text, node.offset), message: shorten(where + message), remedy };
}

/** Returns the line and column of an offset, counted from 1. */
function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Returns the names of members that their object has already. */
function duplicates(node: Node): Node[] {
  const children = node.children ?? [];
  const keys = node.type === 'object' ? children.flatMap((property) => property.children?.[0] ?? []) : [];
  const seen = new Set<unknown>();
  const repeated = keys.filter(({ value }) => seen.size === seen.add(value).size);
  return [...repeated, ...children.flatMap((child) => duplicates(child))];
}

function shorten(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}...` : message;
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** The deepest nesting of arrays and objects in a text, and the offset at which it first exceeds a limit. */
type Nesting = { readonly depth: number; readonly excessAt: number | undefined };

/**
 * Measures the nesting of JSON text, valid or not, without recursion and in linear time. For invalid text, it is at least
 * as deep as the recursion of a parser that continues after errors: a closing bracket that does not match is ignored.
 */
function measureNesting(text: string, limit: number): Nesting {
  const scanner = createScanner(text, true);
  const open: string[] = [];
  let depth = 0;
  let excessAt: number | undefined;
  scanner.scan();
  for (let at = scanner.getTokenOffset(); at < text.length; at = scanner.getTokenOffset()) {
    const token = text.charAt(at);
    const closer = CLOSERS[token];
    if (closer !== undefined) open.push(closer);
    else if (token === open.at(-1)) open.pop();
    depth = Math.max(depth, open.length);
    if (depth > limit) excessAt ??= at;
    scanner.scan();
  }
  return { depth, excessAt };
}
