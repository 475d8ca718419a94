import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS, GENRES, VOLUME_FORMATS, WINDOWS } from '../../schemas/catalog.js';
import {
  bundlePath,
  dayPath,
  lineageManifestPath,
  lineagePath,
  manifestPath,
  PAGE_PATHS,
  volumePath,
} from '../../schemas/paths.js';
import type { Window } from '../../schemas/types.generated.js';
import { readPointer, readRecord } from '../../generator/state/published-state.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { readTable, ROOT } from './markdown-pages.js';

const page = await readFile(path.join(ROOT, 'generator/README.md'), 'utf8');

/** Returns the path of a page with the name of its kind in place of its own. */
function foldPage(name: string): string {
  if (Object.values<string>(PAGE_PATHS).includes(name)) return name;
  return name
    .replace(/^\/problems\/.*/, '/problems/<code>')
    .replace(/^\/docs\/guides\/.*/, '/docs/guides/<guide>')
    .replace(/^\/docs\/examples\/.*/, '/docs/examples/<example>')
    .replace(/^\/docs\/api\/.*/, '/docs/api/<operation>');
}

describe("the generator's README", () => {
  it('lists exactly the public files of a release', async () => {
    const store = createMemoryStore();
    const inputs = CHAIN_IDS.map((chain, seed) => randomSeries({ chain, seed, days: 9 }));
    await publishSeries(store, { inputs, asOf: '2022-01-10' });
    const files = new Map<string, string>();
    const pointer = await readPointer(store);
    const record = pointer && (await readRecord(store, pointer.value));
    for (const [name, { type }] of Object.entries(record?.public ?? {})) {
      const shown = name.replace(new RegExp(`/(${CHAIN_IDS.join('|')})(?=[/.]|$)`), '/<chain>');
      const folded = foldPage(shown);
      const named = folded
        .replace(/(?<=\/weekly-summaries\/)\d{4}$/, '<year>')
        .replace(/(?<=^\/samples\/)[a-z]+/, '<genre>')
        .replace(/(?<=\/analyst-kit\/examples\/).*/, '<file>');
      const kind = named.replace(/(?<=^\/assets\/[a-z]+-)[0-9a-f]{16}(?=\.)/, '<digest>');
      files.set(kind.replace(/(?<=\/python\/).*/, '<wheel>'), type);
    }
    const listed = readTable(page, '| path | type | content |').map(([name, type]) => `${name} | ${type}`);
    const published = [...files].map((file) => file.join(' | '));
    expect(published.filter((file) => !listed.includes(file))).toEqual([]); // these rows are missing
    expect(listed.filter((row) => !published.includes(row))).toEqual([]); // these rows are too many
  });

  it('lists exactly the paths of subscriber files', () => {
    const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
    const paths = (['meta', 'briefs'] as const).flatMap((genre) =>
      [
        dayPath(genre, 'base', '2022-01-01').replace('2022-01-01', '<date>'),
        ...windows.map((window) => bundlePath(genre, 'base', window)),
        manifestPath(genre, 'base'),
      ].map((name) => name.replace('/base/', '/<chain>/').replace('/meta/', '/<genre>/')),
    );
    const volumes = VOLUME_FORMATS.map((format) => volumePath('meta', 'base', '<period>', format));
    const lineages = [lineagePath('base', '<date>'), lineageManifestPath('base')];
    expect(readTable(page, '| path | content |').map(([name]) => name)).toEqual([
      ...paths.slice(0, 7),
      ...volumes.map((name) => name.replace('/meta/base/', '/<genre>/<chain>/')),
      ...paths.slice(7),
      ...lineages.map((name) => name.replace('/base/', '/<chain>/')),
    ]);
    const [last = '', ...others] = GENRES.filter((genre) => genre !== 'briefs').reverse();
    expect(page).toContain(`\`<genre>\` is \`${others.reverse().join('`, `')}\` or \`${last}\``);
  });
});
