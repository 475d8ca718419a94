import type { BuildOptions } from 'esbuild';
import { compiledValidators } from './compiled-validators.js';

/** Settings of esbuild for programs that Node.js runs. The output depends on the sources only, not on where they are. */
export const NODE_BUNDLE = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  /** The oldest supported Node.js. */
  target: 'node20',
  /** ES modules first: their unused parts are left out, and CommonJS may load files by computed names. */
  mainFields: ['module', 'main'],
  /** Names in the bundle must not depend on where a linked node_modules is. */
  preserveSymlinks: true,
  /** Defines `require` for CommonJS modules in the bundle, which use it for modules of Node.js. */
  banner: {
    js: "import{createRequire as crd$require}from'node:module';const require=crd$require(import.meta.url);",
  },
  plugins: [compiledValidators()],
  assetNames: 'validators/[name]-[hash]',
  /**
   * Tables of iconv-lite for East Asian encodings, which are never loaded because the gateway accepts only UTF encodings, and
   * the package by which handlebars writes source maps, without which it makes the same pages.
   */
  external: ['./tables/*.json', 'source-map'],
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;
