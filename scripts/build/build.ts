/**
 * Builds the product into `dist`: `npm run build`. It does not check types: `npm run types` does.
 *
 * - The two programs are bundled with their libraries: they start three times faster, because they read few files. What
 *   only some commands need is in files of its own, and so is the validator of each schema.
 * - The scripts of the pages are bundled, and copied with the templates and the other texts that the programs read.
 * - `dist/build-info.json` states what the build was made from.
 * - `dist/text-digests.json` has the digests of what the code makes of the texts, so that no run computes them.
 *
 * Arguments name more modules to bundle, such as those of the demo, as patterns of esbuild.
 */
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { siteTextsDigest } from '../../generator/core/draft/site.js';
import { writersFingerprint } from '../../generator/core/release/writers-fingerprint.js';
import { DIGESTS_FILE, readProductTexts, type BuiltDigests } from '../../generator/texts/product-texts.js';
import { NODE_BUNDLE } from '../../infra/process/node-bundle.js';
import { bundleBrowser } from './bundle-browser.js';
import { describeBuild } from './describe-build.js';

const PROGRAMS = ['generator/main.ts', 'gateway/main.ts'];
/**
 * DuckDB is installed only by those who need it. Debug would use the last one, which is installed only for development, and
 * works without it.
 */
const NOT_BUNDLED = ['@duckdb/node-api', 'supports-color'];
/** Folders of `dist` with nothing but bundles. */
const BUNDLED = ['chunks', 'validators', 'generator', 'gateway'];
/** What the programs read, beside their own modules. */
const TEXTS = ['package.json', 'schemas/methodology', 'schemas/sql', 'templates'];

const ROOT = path.join(import.meta.dirname, '../..');

/** Builds the programs and more modules, whose names are patterns of esbuild relative to the root. */
export async function buildProduct(modules: readonly string[]): Promise<void> {
  const startedMs = performance.now();
  process.stderr.write('building dist\n');
  process.chdir(ROOT);
  await rm(`dist/${DIGESTS_FILE}`, { force: true }); // digests of other programs, if this build fails
  const [digests] = await Promise.all([
    copyTexts().then(digestTexts), // while esbuild, another process, bundles
    bundlePrograms(),
    bundleScripts(modules),
  ]);
  await writeJson('dist/build-info.json', await describeBuild('.', process.env['SOURCE_COMMIT']));
  await writeJson(`dist/${DIGESTS_FILE}`, digests);
  process.stderr.write(`building dist: done (${((performance.now() - startedMs) / 1000).toFixed(1)} s)\n`);
}

function writeJson(file: string, value: unknown): Promise<void> {
  return writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

async function digestTexts(): Promise<BuiltDigests> {
  const texts = await readProductTexts();
  const { arch, versions } = process;
  return {
    v8: versions.v8,
    arch,
    writersSha256: writersFingerprint(texts),
    siteTextsSha256: siteTextsDigest(texts),
  };
}

async function bundlePrograms(): Promise<void> {
  const { metafile } = await build({
    ...NODE_BUNDLE,
    entryPoints: PROGRAMS,
    outdir: 'dist',
    outbase: '.',
    chunkNames: 'chunks/[name]-[hash]',
    external: [...NODE_BUNDLE.external, ...NOT_BUNDLED],
    metafile: true,
  });
  for (const program of PROGRAMS) await chmod(`dist/${program.replace(/ts$/, 'js')}`, 0o755);
  await refuseDevelopmentPackages(Object.keys(metafile.inputs));
  // Last, so that a build that fails leaves a program that runs.
  for (const folder of BUNDLED)
    for (const entry of await readdir(`dist/${folder}`, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile() && metafile.outputs[file] === undefined) await rm(file);
    }
}

/** Bundles modules of development, with packages as they are installed. */
async function bundleScripts(entryPoints: readonly string[]): Promise<void> {
  if (entryPoints.length === 0) return;
  await build({
    ...NODE_BUNDLE,
    entryPoints: [...entryPoints],
    outdir: 'dist',
    outbase: '.',
    chunkNames: 'scripts/chunks/[name]-[hash]',
    packages: 'external',
  });
}

async function copyTexts(): Promise<void> {
  await bundleBrowser();
  for (const text of TEXTS) {
    await rm(`dist/${text}`, { recursive: true, force: true });
    await cp(text, `dist/${text}`, { recursive: true });
  }
}

/** Checks that bundles contain only packages that are shipped. @throws Error if not */
async function refuseDevelopmentPackages(inputs: readonly string[]): Promise<void> {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean } | undefined>>;
  };
  const PACKAGE = /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;
  const packages = new Set(inputs.flatMap((file) => PACKAGE.exec(file) ?? []));
  const unshipped = [...packages].filter((name) => lock.packages[name]?.dev === true);
  if (unshipped.length > 0)
    throw new Error(`Packages that are only for development are in a bundle: ${unshipped.join(', ')}.`);
}

if (process.argv[1] === import.meta.filename) await buildProduct(process.argv.slice(2));
