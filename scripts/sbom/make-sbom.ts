/**
 * Writes the bill of materials of all packages that are shipped, from package-lock.json, without network:
 * `npm run sbom [-- FILE]`. Exits with 1 if a package has no digest, or a licence that is not allowed.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findSbomFaults, type Sbom } from './sbom.js';

const ROOT = path.join(import.meta.dirname, '../..');
const MAX_BYTES = 64 * 1024 * 1024;

const file = path.resolve(ROOT, process.argv[2] ?? 'dist/sbom.cdx.json');
const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'];
const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT, maxBuffer: MAX_BYTES });
const sbom = JSON.parse(stdout) as Sbom; // checked next
const faults = findSbomFaults(sbom);
for (const fault of faults) process.stderr.write(`sbom: ${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
else {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, stdout);
  process.stdout.write(
    `${sbom.components.length} packages, written to ${path.relative(process.cwd(), file)}\n`,
  );
}
