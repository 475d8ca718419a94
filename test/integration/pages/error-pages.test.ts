import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../../../scripts/browser/browser.js';
import { bundlePath, PAGE_PATHS } from '../../../schemas/paths.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { findBarriers, keepScreen, overflowOf, overlapsOf } from '../../support/pages/browser-pages.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';
import { publishSample } from '../../support/release/published-sample.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;
const BUNDLE = bundlePath('gold', 'base', 'latest');

/** Cleanup of what was opened. */
const closing: (() => Promise<unknown>)[] = [];
let browser: Browser;
let gateway: GatewayProcess;
let empty: GatewayProcess;
let page: Page;
beforeAll(async () => {
  browser = await startBrowser();
  closing.push(() => browser.close());
  const folder = await createTemporaryFolder();
  closing.push(() => folder.dispose());
  const start = (store: string): Promise<GatewayProcess> =>
    startGatewayProcess({
      CRD_STORE: `file:${store}`,
      CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
      CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    });
  [gateway, empty] = await Promise.all([
    start(await publishSample()),
    start(path.join(folder.path, 'empty')),
  ]);
  closing.push(
    () => gateway.stop(),
    () => empty.stop(),
  );
  page = await browser.newPage();
}, INSTALL_MS);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, SLOW_MS);

/** Checks that the open page fits every width, and that axe finds nothing in either scheme; keeps a picture of each. */
async function expectGoodLook(name: string): Promise<void> {
  expect(await page.evaluate('document.styleSheets[0].cssRules.length')).toBeGreaterThan(10);
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect([name, width, await overflowOf(page), await overlapsOf(page)]).toEqual([name, width, 0, []]);
      await keepScreen(page, `error-${name}-${width}-${scheme}`);
    }
    expect([name, scheme, await findBarriers(page)]).toEqual([name, scheme, []]);
  }
}

it(
  'leads from an unknown page to the nearest one',
  async () => {
    expect((await page.goto(`${gateway.url}/chain/bitcon`))?.status()).toBe(404);
    await expectGoodLook('not-found');
    await page.getByRole('link', { name: '/chains/bitcoin' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bitcoin' }).waitFor();
  },
  SLOW_MS,
);

it(
  'leads from an unknown chain to the others',
  async () => {
    expect((await page.goto(`${gateway.url}/chains/dogecoin`))?.status()).toBe(404);
    await expectGoodLook('chain');
    await page.getByRole('link', { name: 'ethereum', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Ethereum' }).waitFor();
  },
  SLOW_MS,
);

it(
  'leads from a link to a subscriber file to the account, and shows its command',
  async () => {
    expect((await page.goto(gateway.url + BUNDLE))?.status()).toBe(401);
    await expectGoodLook('key');
    expect(await page.locator('pre').textContent()).toContain(`'${gateway.url}${BUNDLE}'`);
    await page.getByRole('link', { name: 'Open the account page' }).click();
    await page.waitForURL('**/account');
  },
  SLOW_MS,
);

it(
  'explains a browser that nothing is published, and tries again',
  async () => {
    expect((await page.goto(empty.url + PAGE_PATHS.docs))?.status()).toBe(503);
    await expectGoodLook('not-published');
    const again = page.waitForResponse(empty.url + PAGE_PATHS.docs);
    await page.getByRole('link', { name: 'Try again' }).click();
    expect((await again).status()).toBe(503);
  },
  SLOW_MS,
);

it(
  'opens a page at its other addresses, and with parameters of others',
  async () => {
    for (const address of ['/docs/', '/docs.html', '/docs/index.html', '/docs?utm_source=mail']) {
      const response = await page.goto(gateway.url + address, { waitUntil: 'commit' });
      expect([address, response?.status(), new URL(page.url()).pathname]).toEqual([address, 200, '/docs']);
    }
  },
  SLOW_MS,
);
