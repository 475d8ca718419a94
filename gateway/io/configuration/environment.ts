import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../../infra/store/system-error.js';
import {
  toConfiguration,
  type Environment,
  type ParsedConfiguration,
} from '../../core/configuration/configuration.js';
import { filePathOf } from '../../../schemas/store-address.js';
import { VARIABLE_NAMES, variableOf } from '../../core/configuration/variables.js';

/** The variables with the contents of their secret files, and the faults of those files. */
type ReadEnvironment = { readonly env: Environment; readonly faults: readonly string[] };

/**
 * Replaces each `<NAME>_FILE` of a secret with `<NAME>`, set to the text of that file without its final
 * newline, and resolves the path of each `file:PATH` against the working directory. A fault names the
 * variable, and the path of a file that cannot be read.
 */
export async function readEnvironment(env: Environment): Promise<ReadEnvironment> {
  const read: Record<string, string | undefined> = { ...env };
  const faults: string[] = [];
  for (const name of VARIABLE_NAMES) {
    if (!variableOf(name).isSecret) {
      read[name] = withAbsolutePath(env[name]);
      continue;
    }
    const fileName = `${name}_FILE`;
    const file = env[fileName];
    Reflect.deleteProperty(read, fileName);
    if (!file) continue;
    if (env[name]) {
      faults.push(`${name}: expected either ${name} or ${fileName}, not both`);
      continue;
    }
    const text = await readText(file);
    if ('value' in text) read[name] = text.value;
    else faults.push(`${name}: ${fileName} names ${file}, which ${text.fault}`);
  }
  return { env: read, faults };
}

/** Returns the configuration of an environment and its secret files, or every fault of both. */
export async function readConfiguration(env: Environment): Promise<ParsedConfiguration> {
  const { env: read, faults } = await readEnvironment(env);
  const parsed = toConfiguration(read);
  if (faults.length === 0) return parsed;
  const unreadNames = faults.map(variableIn);
  // A variable whose file cannot be read counts as unset, which leads to faults that its own fault explains.
  const isConsequence = (fault: string): boolean =>
    unreadNames.some((name) => new RegExp(`\\b${name}\\b`).test(fault));
  const others = 'faults' in parsed ? parsed.faults.filter((fault) => !isConsequence(fault)) : [];
  return { faults: [...faults, ...others] };
}

function variableIn(fault: string): string {
  return fault.slice(0, fault.indexOf(':'));
}

function withAbsolutePath(text: string | undefined): string | undefined {
  const found = filePathOf(text ?? '');
  return found === undefined ? text : `file:${path.resolve(found)}`;
}

async function readText(file: string): Promise<{ readonly value: string } | { readonly fault: string }> {
  try {
    const bytes = await readFile(file);
    if (!isUtf8(bytes)) return { fault: 'is not UTF-8 text' };
    const text = bytes.toString().replace(/\r?\n$/, '');
    return text === '' ? { fault: 'is empty' } : { value: text };
  } catch (error) {
    return { fault: `cannot be read (${codeOf(error) ?? 'unreadable'})` };
  }
}
