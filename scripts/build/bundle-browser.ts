/** Bundles the scripts of the pages into `templates/browser/*.js`, which both programs read: `npm run browser`. */
import path from 'node:path';
import { build, type Format } from 'esbuild';

const FOLDER = path.join(import.meta.dirname, '../../templates/browser');
/** The scripts by name: their entry module, and their format. */
const SCRIPTS: Readonly<Record<string, readonly [entry: string, format: Format]>> = {
  site: ['site.ts', 'iife'],
  search: ['search-page.ts', 'iife'],
  chart: ['metrics/main.ts', 'iife'],
  verify: ['verify/main.ts', 'iife'],
  account: ['account/main.ts', 'esm'],
};

/** Bundles the scripts of the pages. */
export async function bundleBrowser(): Promise<void> {
  const built = Object.entries(SCRIPTS).map(([name, [entry, format]]) =>
    build({
      entryPoints: [path.join(FOLDER, entry)],
      outfile: path.join(FOLDER, `${name}.js`),
      format,
      bundle: true,
      minify: true,
      target: 'es2022',
      charset: 'utf8',
      legalComments: 'none',
      logLevel: 'warning',
      tsconfig: path.join(FOLDER, 'tsconfig.json'),
    }),
  );
  await Promise.all(built);
}

if (process.argv[1] === import.meta.filename) await bundleBrowser();
