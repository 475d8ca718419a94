import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { PAGE_PATHS } from '../../../schemas/paths.js';
import { keepScreen } from '../../support/pages/browser-pages.js';
import {
  openTab,
  signIn,
  SLOW_MS,
  withAccountSite,
  type TestSite,
} from '../../support/pages/account-visit.js';

/** Limit for the whole walk, in milliseconds. */
const WALK_MS = 240_000;

let browser: Browser;
let site: TestSite;
withAccountSite((started) => ({ browser, site } = started));

it(
  'a buyer finds the state of a chain on a day, sees why, sees the metric, shares the view, takes a sample, buys, clicks a file and cancels within four minutes',
  async () => {
    const startedMs = Date.now();
    const { page, faults } = await openTab(browser);
    let scenes = 0;
    const film = (name: string): Promise<void> => {
      scenes += 1;
      return keepScreen(page, `walk-${scenes}-${name}`);
    };

    await page.goto(site.url);
    await film('front');
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('base 1 March 2023');
    await page.getByRole('link', { name: 'Base on 2023-03-01' }).waitFor();
    await film('search');
    await page.keyboard.press('Enter'); // to the first result
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Base on 1 March 2023' }).waitFor();
    expect(await page.locator('.regime').textContent()).toBe('congested');
    expect(await page.locator('section[aria-labelledby=why]').textContent()).toContain('Demand is high');
    await film('day');

    await page.getByRole('link', { name: 'the metrics around this day' }).click();
    await page.locator('figure[data-ready]').waitFor();
    await page.locator('.chart-range', { hasText: '31 December 2022 to 30 April 2023' }).waitFor(); // drawn a frame later
    expect(await page.locator('.chart-readout').textContent()).toContain('1 March 2023 · congested');
    await page.getByRole('combobox', { name: 'Metric' }).selectOption('base.fee_median');
    await page.locator('.chart-title', { hasText: 'Base: median fee' }).waitFor();
    await page.waitForTimeout(500); // the address follows
    await page.getByRole('button', { name: 'Copy link' }).click();
    await film('metric');
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    const other = (await openTab(browser)).page;
    await other.goto(link);
    await other.locator('.chart-title', { hasText: 'Base: median fee' }).waitFor();
    expect(await viewOf(other)).toEqual(await viewOf(page));

    await page.goto(site.url + PAGE_PATHS.pricing);
    const [sample] = await Promise.all([
      page.waitForEvent('download'),
      page
        .locator('table', { hasText: 'gold' })
        .getByRole('row', { name: 'gold' })
        .getByRole('link', { name: 'CSV' })
        .click(),
    ]);
    const week = (await readFile(await sample.path(), 'utf8')).trim().split('\n');
    expect([sample.suggestedFilename(), week.length]).toEqual(['ethereum-gold-2022-12-19-volume.csv', 8]);
    await film('pricing');
    await page.getByRole('link', { name: 'Start', exact: true }).click();
    await signIn({ page }, 'walker');
    await page.getByRole('button', { name: 'Buy Research' }).waitFor();
    await film('no-plan');
    await page.getByRole('button', { name: 'Buy Research' }).click();
    await page.getByRole('button', { name: 'Pay', exact: true }).waitFor();
    await film('payment');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('It renews on').waitFor();
    await page.getByLabel('Chain of the file').selectOption('base');
    await page.getByLabel('Content').selectOption({ label: 'Metrics' });
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const saved = await readFile(await (await saving).path(), 'utf8');
    expect(JSON.parse(saved)).toMatchObject({ genre: 'gold', chain: 'base' });
    await film('download');
    await page.getByRole('button', { name: 'Change or cancel' }).click();
    await page.getByRole('button', { name: 'Cancel at the end' }).click();
    await page.getByRole('link', { name: 'Back to the account' }).click();
    await page.getByRole('heading', { name: 'Research, cancelled' }).waitFor();
    await film('cancelled');

    expect(faults).toEqual([]);
    expect(Date.now() - startedMs).toBeLessThan(WALK_MS);
  },
  SLOW_MS,
);

async function viewOf(page: Page): Promise<readonly (string | null)[]> {
  return Promise.all(['.chart-title', '.chart-range'].map((name) => page.locator(name).textContent()));
}
