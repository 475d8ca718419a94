import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command, Kit } from './readers.js';
import { type CellTable, parsePrinted } from './volume-cells.js';

const PROGRAMS = path.join(import.meta.dirname, 'programs');

/**
 * Installs the readers of a kit below `folder`, unless these versions are there. Returns their folder. Delete it after a change
 * to a program, which is in `programs`.
 */
export async function installKit(
  { name, readers, install }: Kit,
  folder: string,
  programs = PROGRAMS,
): Promise<string> {
  const own = path.join(folder, name);
  const marker = path.join(own, 'installed');
  const versions = JSON.stringify(readers);
  if ((await readFile(marker, 'utf8').catch(() => undefined)) === versions) return own;
  await rm(own, { recursive: true, force: true });
  await cp(path.join(programs, name), own, { recursive: true });
  for (const command of install(Object.entries(readers))) await run(command, own, `${own}.log`);
  await writeFile(marker, versions);
  return own;
}

/** Returns the tables that a reader prints, in the folder of its kit. @throws Error with its stderr if it fails. */
export async function readWith(
  {
    reader,
    command,
    folder,
  }: { readonly reader: string; readonly command: Command; readonly folder: string },
  files: readonly string[],
): Promise<CellTable[]> {
  const printed = path.join(folder, `${reader.replaceAll('/', '-')}.txt`);
  await run([...command, reader, ...files], folder, printed);
  return parsePrinted(await readFile(printed, 'utf8'));
}

/** Runs a command in a folder, with its output in a file. @throws Error with the end of its stderr if it fails. */
export async function run([program, ...args]: Command, cwd: string, output: string): Promise<void> {
  const file = await open(output, 'w');
  const child = spawn(program, args, { cwd, stdio: ['ignore', file.fd, 'pipe'] });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-2000)));
  const [code] = (await once(child, 'close').finally(() => file.close())) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code ?? 'a signal'}: ${stderr}`);
}
