/**
 * Bundles what browsers load into `templates/browser`, which both programs read: the scripts of the pages as `*.js`, and the
 * style sheets without comments and spaces as `styles/*.css`. `npm run browser`.
 */
import path from 'node:path';
import { build, type BuildOptions, type Format } from 'esbuild';

const FOLDER = path.join(import.meta.dirname, '../../templates/browser');
/** The scripts by name: their entry module, and their format. */
const SCRIPTS: Readonly<Record<string, readonly [entry: string, format: Format]>> = {
  site: ['site.ts', 'iife'],
  search: ['search-page.ts', 'iife'],
  chart: ['metrics/main.ts', 'iife'],
  verify: ['verify/main.ts', 'iife'],
  account: ['account/main.ts', 'esm'],
};
const STYLES = ['first', 'site', 'figure', 'docs', 'verify', 'account'];
const OPTIONS = {
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Bundles the scripts and the style sheets of the pages. */
export async function bundleBrowser(): Promise<void> {
  const scripts = Object.entries(SCRIPTS).map(([name, [entry, format]]) =>
    build({
      ...OPTIONS,
      entryPoints: [path.join(FOLDER, entry)],
      outfile: path.join(FOLDER, `${name}.js`),
      format,
      bundle: true,
      tsconfig: path.join(FOLDER, 'tsconfig.json'),
    }),
  );
  const styles = build({
    ...OPTIONS,
    entryPoints: STYLES.map((name) => path.join(FOLDER, '..', 'pages', `${name}.css`)),
    outdir: path.join(FOLDER, 'styles'),
    bundle: true,
  });
  await Promise.all([...scripts, styles]);
}

if (process.argv[1] === import.meta.filename) await bundleBrowser();
