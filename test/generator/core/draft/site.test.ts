import { siteFiles } from '../../../../generator/core/draft/site.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import { queryPath } from '../../../../schemas/paths.js';
import { readQuery } from '../../../../schemas/queries.js';

it.each(CHAIN_IDS)('the query of %s is public, with the digest that a lineage names', async (chain) => {
  const file = siteFiles(await readProductTexts()).find(({ path }) => path === queryPath(chain));
  const stamp = { revision: '2026-08-20.000001', sequence: 1, publishedAt: '2026-08-20T06:15:00Z' };
  expect(sha256Hex(file?.content(stamp).text ?? '')).toBe((await readQuery(chain)).sha256);
});

it('each file names the release that it is rendered for, whatever it was rendered for before', async () => {
  const texts = await readProductTexts();
  const first = { revision: '2026-08-20.000001', sequence: 1, publishedAt: '2026-08-20T06:15:00Z' };
  const second = { revision: '2026-08-21.000002', sequence: 2, publishedAt: '2026-08-21T06:15:00Z' };
  const textsOf = (stamps: readonly (typeof first)[]): string[] =>
    siteFiles({ ...texts }).map(
      (file) => stamps.map((stamp) => `${file.path}\n${file.content(stamp).text}`).at(-1) ?? '',
    );
  expect(textsOf([first, second])).toEqual(textsOf([second]));
});
