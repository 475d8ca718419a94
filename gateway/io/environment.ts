import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../infra/store/system-error.js';
import { toConfiguration, type Environment, type JudgedConfiguration } from '../core/configuration.js';
import type { Judged } from '../core/judge.js';
import { filePathOf } from '../core/store-address.js';
import { VARIABLE_NAMES, variableOf } from '../core/variables.js';

/** The variables with the texts of their files, and what is wrong with those. */
export type ReadEnvironment = { readonly env: Environment; readonly faults: readonly string[] };

/**
 * Puts the text of the file that `<NAME>_FILE` names in the place of each secret, without the newline at its end, and
 * makes the path of each `file:PATH` whole, by the working directory. A fault names the variable and the path.
 */
export async function readEnvironment(env: Environment): Promise<ReadEnvironment> {
  const read: Record<string, string | undefined> = { ...env };
  const faults: string[] = [];
  for (const name of VARIABLE_NAMES) {
    if (!variableOf(name).isSecret) {
      read[name] = withWholePath(env[name]);
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

/** The configuration that an environment and the files of its secrets give, or every fault of both. */
export async function readConfiguration(env: Environment): Promise<JudgedConfiguration> {
  const { env: read, faults } = await readEnvironment(env);
  const judged = toConfiguration(read);
  if (faults.length === 0) return judged;
  const known = faults.map(variableIn);
  const follows = (fault: string): boolean => known.some((name) => new RegExp(`\\b${name}\\b`).test(fault));
  return {
    faults: [...faults, ...('faults' in judged ? judged.faults.filter((fault) => !follows(fault)) : [])],
  };
}

function variableIn(fault: string): string {
  return fault.slice(0, fault.indexOf(':'));
}

function withWholePath(text: string | undefined): string | undefined {
  const found = filePathOf(text ?? '');
  return found === undefined ? text : `file:${path.resolve(found)}`;
}

async function readText(file: string): Promise<Judged<string>> {
  try {
    const bytes = await readFile(file);
    if (!isUtf8(bytes)) return { fault: 'is not UTF-8 text' };
    const text = bytes.toString().replace(/\r?\n$/, '');
    return text === '' ? { fault: 'is empty' } : { value: text };
  } catch (error) {
    return { fault: `cannot be read (${codeOf(error) ?? 'unreadable'})` };
  }
}
