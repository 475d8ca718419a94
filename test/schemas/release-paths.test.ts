import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { isBundlePath, isManifestPath, isPublicPath } from '../../schemas/release-paths.js';

/** Every path of the golden release except those of day files, which digests.txt lists by month. */
const GOLDEN = readFileSync(path.join(import.meta.dirname, '../golden/release/digests.txt'), 'utf8')
  .split('\n')
  .flatMap((line) => line.split(' ')[1] ?? [])
  .filter((listed) => listed.startsWith('/') && !/\/\d{4}-\d{2}$/.test(listed));

const isListed = (listed: string): boolean =>
  isPublicPath(listed) || isBundlePath(listed) || isManifestPath(listed);

it.each([...new Set(GOLDEN)])('a release can list %s', (listed) => {
  const sections = [isPublicPath(listed), isBundlePath(listed), isManifestPath(listed)];
  expect(sections.filter(Boolean)).toHaveLength(1);
});

it.each([
  '',
  '/evil',
  '//',
  '//evil.example/',
  '/../../x',
  '/./docs',
  '/docs/',
  '/docs/index.html',
  '/docs\n',
  'https://evil.example/docs',
  'docs',
  '/%64ocs',
  '/chains/%62ase',
  '/chains/dogecoin',
  '/chains/base/..',
  '/problems/',
  '/problems/../docs',
  '/problems/Gone',
  '/problems/a.b',
  '/docs/guides/',
  '/docs/guides/../api',
  '/docs/api/getStatus',
  '/docs/examples/download.sh',
  '/methodology/v0',
  '/methodology/',
  '/assets/site-.css',
  '/assets/site-0123456789ABCDEF.js',
  '/assets/../site-0123456789abcdef.js',
  '/api/v1/methodology/v1/../x.json',
  '/api/v1/methodology/.json',
  '/api/v1/status?x=1',
  '/api/v1/status#x',
  '/api/v1/analyst-kit/examples/..',
  '/api/v1/analyst-kit/examples/.py',
  '/api/v1/files/gold/base/8d/latest.json',
])('no release can list %j', (listed) => {
  expect(isListed(listed)).toBe(false);
});

it('no release can list a path with an empty, climbing or encoded part, or with other signs', () => {
  const signs = fc.constantFrom('//', '/..', '/.', '%2e', '%2F', '?', '#', '\\', ' ', ':', '@', '\n', '\0');
  fc.assert(
    fc.property(fc.constantFrom(...GOLDEN), fc.nat(100), signs, (listed, at, added) => {
      const place = at % (listed.length + 1);
      expect(isListed(listed.slice(0, place) + added + listed.slice(place))).toBe(false);
    }),
  );
});
