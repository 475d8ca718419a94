import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { compiledValidators } from '../../process/compiled-validators.js';
import { NODE_BUNDLE } from '../../process/node-bundle.js';
import type { SchemaName } from '../../../schemas/validate.js';
import { ACCOUNT_FILES } from '../../../gateway/io/account-page/read-account-files.js';

/** Output folder of the bundle; the stack deploys it. */
export const BUNDLE_FOLDER = path.join(import.meta.dirname, '../dist/gateway');

const ROOT = path.join(import.meta.dirname, '../../..');

/** The schemas of the documents that the gateway reads and writes. A bundle with all of them would be twice as large. */
export const GATEWAY_SCHEMAS: readonly SchemaName[] = [
  'account',
  'changes',
  'key-record',
  'key-usage',
  'pointer',
  'release-record',
  'site-files',
  'status',
  'store-check',
];

/** Bundles the gateway for AWS Lambda: `handler.mjs`, and the modules that it loads, at the start or on demand. */
export async function bundleGateway(folder: string = BUNDLE_FOLDER): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await build({
    ...NODE_BUNDLE,
    plugins: [compiledValidators(GATEWAY_SCHEMAS)],
    absWorkingDir: ROOT, // names in the bundle must not depend on the caller's working directory
    entryPoints: { handler: 'gateway/lambda/handler.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: '[name]-[hash]',
    minify: true,
  });
  await copyAccountPage(path.join(folder, 'templates'));
}

/** Bundles the script and the styles of the account page, and copies its other files, to where the handler reads them. */
async function copyAccountPage(folder: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [
      { in: 'templates/browser/account/main.ts', out: withoutExtension(ACCOUNT_FILES.script) },
      { in: 'templates/pages/account.css', out: withoutExtension(ACCOUNT_FILES.css) },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    legalComments: 'none',
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
  const { html, error, day } = ACCOUNT_FILES;
  for (const file of [html, error, day]) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await copyFile(path.join(ROOT, 'templates', file), path.join(folder, file));
  }
}

function withoutExtension(file: string): string {
  return file.slice(0, -path.extname(file).length);
}

if (import.meta.filename === process.argv[1]) await bundleGateway(process.argv[2]);
