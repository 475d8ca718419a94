import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

/** Where the function's code is put, for the stack to take it from. */
export const BUNDLE_FOLDER = path.join(import.meta.dirname, 'dist/gateway');

/** The oldest Node.js that the product runs on; the function's is newer. */
const TARGET = 'node20';
/** Tables of East Asian texts, a fifth of the whole: bodies are taken as bytes, and these would be read by name only. */
const UNUSED = './tables/*.json';
/** CommonJS within the bundle asks for Node's own modules by `require`. */
const REQUIRE =
  "import{createRequire as crd$require}from'node:module';const require=crd$require(import.meta.url);";

/** Bundles the gateway for AWS Lambda: `handler.mjs`, and beside it what is loaded when it is first needed. */
export async function bundleGateway(folder: string = BUNDLE_FOLDER): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await build({
    absWorkingDir: path.join(import.meta.dirname, '../..'), // names within the bundle shall not depend on who calls
    entryPoints: { handler: 'infra/aws/lambda/handler.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    legalComments: 'none',
    platform: 'node',
    format: 'esm',
    target: TARGET,
    mainFields: ['module', 'main'],
    external: [UNUSED],
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
}

if (import.meta.filename === process.argv[1]) await bundleGateway();
