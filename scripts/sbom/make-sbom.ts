/**
 * Writes the bill of materials of all packages that are shipped, from package-lock.json and that of DuckDB, which
 * the image contains, without network: `npm run sbom [-- FILE]`. Exits with 1 if a package has no digest, or a licence that is not allowed.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findSbomFaults, mergeSboms, type Sbom } from './sbom.js';

const ROOT = path.join(import.meta.dirname, '../..');
const MAX_BYTES = 64 * 1024 * 1024;

const file = path.resolve(ROOT, process.argv[2] ?? 'dist/sbom.cdx.json');
const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'];
const [own, duckdb] = await Promise.all(['.', 'infra/duckdb'].map(readSbom));
if (own === undefined || duckdb === undefined) throw new Error('npm printed no bill of materials');
const sbom = mergeSboms(own, duckdb);
const faults = findSbomFaults(sbom);
for (const fault of faults) process.stderr.write(`sbom: ${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
else {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(sbom, null, 2)}\n`);
  process.stdout.write(
    `${sbom.components.length} packages, written to ${path.relative(process.cwd(), file)}\n`,
  );
}

/** Reads what npm says about the lock file of a folder. `findSbomFaults` checks it. */
async function readSbom(folder: string): Promise<Sbom> {
  const cwd = path.join(ROOT, folder);
  const { stdout } = await promisify(execFile)('npm', args, { cwd, maxBuffer: MAX_BYTES });
  return JSON.parse(stdout) as Sbom;
}
