import { siteFiles } from '../../../../generator/core/draft/site.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { EXAMPLE_NAMES } from '../../../../schemas/catalog.js';
import { examplePath, PUBLIC_PATHS } from '../../../../schemas/paths.js';
import { UNKNOWN_ADDRESS } from '../../../../schemas/paths.js';
import type { Site } from '../../../../schemas/types.generated.js';

const STAMP = { revision: '2026-08-20.000001', sequence: 1, publishedAt: '2026-08-20T06:00:00Z' };
const LOCAL = 'http://127.0.0.1:8080';
/** The programs that contact a gateway, and the notebook. */
const PATHS = [PUBLIC_PATHS.starterNotebook, ...EXAMPLE_NAMES.map(examplePath)];

/** Returns the text of a public file that is made for a site. */
async function textOf(path: string, site?: Site): Promise<string> {
  const file = siteFiles(await readProductTexts(site)).find((each) => each.path === path);
  return file?.content(STAMP).text ?? '';
}

it.each(PATHS)(
  '%s says that its default address must be replaced or is this machine, or has the address of the site',
  async (path) => {
    const unknown = await textOf(path);
    expect(unknown.split(`${UNKNOWN_ADDRESS} (replace it with yours)`)).toHaveLength(2);
    expect(unknown).not.toContain('127.0.0.1');
    const plain = await textOf(path, { name: 'x', base_url: LOCAL });
    expect(plain.split(`${LOCAL} (this machine)`)).toHaveLength(2);
    expect(plain.split(LOCAL)).toHaveLength(3); // in the explanation and in the code
    const remote = await textOf(path, { name: 'x', base_url: 'https://data.example.com' });
    expect(remote).not.toMatch(/127\.0\.0\.1:8080|\(this machine\)/);
    expect(remote.split('https://data.example.com')).toHaveLength(3);
    const other = await textOf(path, { name: 'x', base_url: 'http://127.0.0.1:80801' });
    expect(other).toBe(plain.replaceAll(LOCAL, 'http://127.0.0.1:80801'));
  },
);

it('no text of a site without an address names a service on this machine', async () => {
  const texts = await readProductTexts();
  for (const { path, content } of siteFiles(texts)) {
    const { text } = content(STAMP);
    expect([path, text.includes('127.0.0.1:8080')]).toEqual([path, false]);
  }
});

it('a site gives the OpenAPI description its title, server, contact and terms', async () => {
  const site = {
    name: 'Example data',
    base_url: 'https://data.example.com',
    publisher: 'Example Ltd',
    contact: 'data@example.com',
    terms_url: 'https://example.com/terms',
  };
  const plain = JSON.parse(await textOf(PUBLIC_PATHS.openapi)) as object;
  expect(plain).toMatchObject({ info: { title: 'Chain reference data' }, servers: [{ url: '/' }] });
  expect(JSON.parse(await textOf(PUBLIC_PATHS.openapi, site))).toEqual({
    ...plain,
    info: {
      ...('info' in plain ? (plain.info as object) : {}),
      title: site.name,
      contact: { name: 'Example Ltd', email: 'data@example.com' },
      termsOfService: site.terms_url,
    },
    servers: [{ url: site.base_url, description: site.name }],
  });
  const page = { ...site, contact: 'https://example.com/contact' };
  expect(JSON.parse(await textOf(PUBLIC_PATHS.openapi, page))).toMatchObject({
    info: { contact: { url: 'https://example.com/contact' } },
  });
});
