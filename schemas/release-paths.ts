import { CHAIN_IDS, GENRES, VOLUME_FORMATS, VOLUME_GENRES, WINDOWS } from './catalog.js';
import {
  assetPath,
  bundlePath,
  calendarPath,
  chainEventsPath,
  chainFeedPath,
  chainPagePath,
  chartDataPath,
  chartMetricsPath,
  chartPath,
  examplePath,
  exampleViewPath,
  guidePath,
  lineageManifestPath,
  embedPath,
  manifestPath,
  metricsPagePath,
  methodologyDataPath,
  methodologyPagePath,
  methodologyTextPath,
  operationPath,
  PAGE_PATHS,
  problemPath,
  PUBLIC_PATHS,
  queryPath,
  regimeEventsPath,
  regimesPath,
  SAMPLE_FILES,
  samplePath,
  summaryPath,
  volumePath,
  volumeSchemaPath,
  weeklyArchivePath,
  weeklySummaryPath,
  wheelPath,
  type Placeholder,
} from './paths.js';
import type { Chain, Window } from './types.generated.js';

/** The public files of each chain that follow its data. `isCurrent`: it shows the newest state, so caches keep it for a minute. */
const CHAIN_FILES: readonly { readonly spell: (chain: Chain) => string; readonly isCurrent: boolean }[] = [
  { spell: calendarPath, isCurrent: false },
  { spell: regimesPath, isCurrent: false },
  { spell: chartDataPath, isCurrent: true },
  { spell: chartMetricsPath, isCurrent: true },
  { spell: summaryPath, isCurrent: true },
  { spell: weeklySummaryPath, isCurrent: false },
  { spell: chartPath, isCurrent: true },
  { spell: chainPagePath, isCurrent: true },
  { spell: chainFeedPath, isCurrent: false },
  { spell: chainEventsPath, isCurrent: false },
  { spell: regimeEventsPath, isCurrent: false },
  { spell: metricsPagePath, isCurrent: true },
];

/** Returns the paths of the public files of a chain that follow its data. */
export function publicPathsOf(chain: Chain): string[] {
  return CHAIN_FILES.map(({ spell }) => spell(chain));
}

/** Returns those that show the newest state of a chain. */
export function currentPathsOf(chain: Chain): string[] {
  return CHAIN_FILES.filter(({ isCurrent }) => isCurrent).map(({ spell }) => spell(chain));
}

/** The paths of the sample: a week of a chain, in a file of each kind that subscribers read. */
export const SAMPLE_PATHS: readonly string[] = [
  ...VOLUME_GENRES.flatMap((genre) => SAMPLE_FILES.map((file) => samplePath(genre, file))),
  ...SAMPLE_FILES.filter((file) => file.endsWith('.json')).map((file) => samplePath('briefs', file)), // no volumes
];

const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type

const BUNDLES: ReadonlySet<string> = new Set(
  GENRES.flatMap((genre) =>
    CHAIN_IDS.flatMap((chain) => windows.map((window) => bundlePath(genre, chain, window))),
  ),
);

/** The paths of volumes, with `{period}` in place of the period. */
const VOLUMES: ReadonlySet<string> = new Set(
  VOLUME_GENRES.flatMap((genre) =>
    CHAIN_IDS.flatMap((chain) =>
      VOLUME_FORMATS.map((format) => volumePath(genre, chain, '{period}', format)),
    ),
  ),
);
const PERIOD = /\/\d{4}(?:-(?:0[1-9]|1[0-2]))?\./;

const MANIFESTS: ReadonlySet<string> = new Set([
  ...GENRES.flatMap((genre) => CHAIN_IDS.map((chain) => manifestPath(genre, chain))),
  ...CHAIN_IDS.map(lineageManifestPath),
]);

/** The public paths without a name in them. Keep a path that is no longer published: older releases list it. */
const PUBLIC: ReadonlySet<string> = new Set([
  ...Object.values(PUBLIC_PATHS),
  ...Object.values(PAGE_PATHS),
  ...SAMPLE_PATHS,
  ...['site.css', 'site.js', 'verify.js'].map(assetPath), // before their names contained a digest
  ...CHAIN_IDS.flatMap((chain) => [...publicPathsOf(chain), queryPath(chain), embedPath(chain)]),
  ...VOLUME_GENRES.flatMap((genre) => CHAIN_IDS.map((chain) => volumeSchemaPath(genre, chain))),
]);

const VERSION = /^v[1-9][0-9]*$/;

const WHEEL = /^[a-z0-9_]+-[0-9]+(\.[0-9]+)*-py3-none-any\.whl$/;

const ASSET = /^[a-z]+-[0-9a-f]{16}\.(css|js)$/;

const YEAR = /^[0-9]{4}$/;

const WORDS = /^[a-z]+(-[a-z]+)*$/;

/** The public paths with a name in them. Other versions of the generator publish other names. */
const NAMED: readonly { readonly spell: (name: Placeholder) => string; readonly name: RegExp }[] = [
  { spell: methodologyDataPath, name: VERSION },
  { spell: methodologyTextPath, name: VERSION },
  { spell: methodologyPagePath, name: VERSION },
  { spell: examplePath, name: /^[a-z0-9]+([_-][a-z0-9]+)*\.[a-z]+$/ },
  { spell: wheelPath, name: WHEEL },
  { spell: assetPath, name: ASSET },
  { spell: problemPath, name: WORDS },
  { spell: guidePath, name: WORDS },
  { spell: operationPath, name: WORDS },
  { spell: exampleViewPath, name: /^[a-z0-9]+(-[a-z0-9]+)*$/ },
  ...CHAIN_IDS.map((chain) => ({ spell: (name: string) => weeklyArchivePath(chain, name), name: YEAR })),
];

/** Returns whether a release can list a public file with this path. */
export function isPublicPath(path: string): boolean {
  return PUBLIC.has(path) || NAMED.some(({ spell, name }) => name.test(nameIn(path, spell('{name}'))));
}

/** Returns whether a path is that of a year of a chain's weekly summaries. */
export function isWeeklyArchivePath(path: string): boolean {
  return CHAIN_IDS.some((chain) => weeklyArchivesIn([path], chain).length > 0);
}

/** Returns the paths among `paths` of the archive of a chain's weekly summaries. */
export function weeklyArchivesIn(paths: readonly string[], chain: Chain): string[] {
  return paths.filter((path) => YEAR.test(nameIn(path, weeklyArchivePath(chain, '{name}'))));
}

/** Returns whether a path is that of a wheel of the Python client, of any version. */
export function isWheelPath(path: string): boolean {
  return WHEEL.test(nameIn(path, wheelPath('{name}')));
}

/** Returns whether a path belongs to a script or style sheet whose file name contains its digest. */
export function isAssetPath(path: string): boolean {
  return ASSET.test(nameIn(path, assetPath('{name}')));
}

/** Returns whether a path is that of a page about an operation of the API, of any version. */
export function isOperationPath(path: string): boolean {
  return WORDS.test(nameIn(path, operationPath('{name}')));
}

/** Returns whether a release can list a bundle or a volume with this path. */
export function isBundlePath(path: string): boolean {
  return BUNDLES.has(path) || VOLUMES.has(path.replace(PERIOD, '/{period}.'));
}

/** Returns whether a release can list a manifest with this path. */
export function isManifestPath(path: string): boolean {
  return MANIFESTS.has(path);
}

/** Returns the text in place of `{name}` in a path of this form; an empty text if the path does not have the form. */
function nameIn(path: string, form: string): string {
  const [before = '', after = ''] = form.split('{name}');
  const name = path.slice(before.length, path.length - after.length);
  return before + name + after === path ? name : '';
}
