import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { dayPagePath, downloadPath, PAGE_PATHS } from '../../../schemas/paths.js';
import type { BriefDay } from '../../../schemas/types.generated.js';
import { hasFocus } from '../../support/pages/browser-pages.js';
import {
  buyResearch,
  expectGoodLook,
  openAccount,
  openTab,
  signIn,
  SLOW_MS,
  withAccountSite,
  type AccountVisit,
  type TestSite,
} from '../../support/pages/account-visit.js';

const DATE = '2023-03-01';
const NAME = 'Brief for Base on 1 March 2023';
const FILE = `**/briefs/chains/base/${DATE}.json?redirect=false`;

let browser: Browser;
let site: TestSite;
withAccountSite((started) => ({ browser, site } = started));

/** Opens the page of the day and follows its link to the brief. */
async function comeFromDay({ page }: AccountVisit): Promise<void> {
  await page.goto(site.url + dayPagePath('base', DATE));
  await page.getByRole('link', { name: 'sign in to read it' }).click();
}

it(
  'a reader comes from the page of an old day, signs in, learns which plan has the brief, buys it, and reads',
  async () => {
    const visit = await openTab(browser);
    const { page, faults } = visit;
    await comeFromDay(visit);
    await page.getByText('Sign in to read the brief for Base on 1 March 2023').waitFor();
    await signIn(visit, 'reader');
    const article = page.getByRole('article', { name: NAME });
    await article.getByText('The account has no active subscription.').waitFor();
    expect(await hasFocus(page, '#brief')).toBe(true);
    expect(await article.getByRole('link', { name: 'See the plans' }).getAttribute('href')).toBe(
      PAGE_PATHS.pricing,
    );
    await expectGoodLook(visit, 'brief-refused');
    expect(faults.filter((fault) => !fault.includes('403'))).toEqual([]);
    const before = faults.length;

    await buyResearch(visit);
    await article.locator('p').nth(1).waitFor(); // the brief that they came for
    expect(await hasFocus(page, '#brief')).toBe(true);
    await comeFromDay(visit); // the session at the provider lasts, so nothing is pressed
    await article.waitFor();
    expect(page.url()).toBe(site.accountUrl);
    expect(await hasFocus(page, '#brief')).toBe(true);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const saved = await readFile(await (await saving).path(), 'utf8');
    const { headline, body } = JSON.parse(saved) as BriefDay; // our own file
    const paragraphs = await article.locator('p').allTextContents();
    expect(paragraphs.slice(0, -1)).toEqual([headline, ...body.split('\n\n')]);
    await expectGoodLook(visit, 'brief');

    const reading = page.getByRole('button', { name: 'Read', exact: true });
    await page.getByLabel('Chain of the file').selectOption('bitcoin');
    await reading.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Brief for Bitcoin on 1 March 2023' }).waitFor();
    expect(await hasFocus(page, '#brief')).toBe(true);
    await page.getByLabel('Period').selectOption({ label: 'Latest day' });
    expect(await reading.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'The page of this day' }).click();
    await page.getByRole('heading', { name: 'Bitcoin on 1 March 2023' }).waitFor();

    expect(faults.slice(before)).toEqual([]);
  },
  SLOW_MS,
);

it(
  'says why there is no text, and tries again when that can help',
  async () => {
    const visit = await openTab(browser);
    const { page, context } = visit;
    await openAccount(visit, site, 'patient');
    await buyResearch(visit);
    const body = (code: string, detail: string): string => JSON.stringify({ code, detail });
    const article = page.getByRole('article', { name: NAME });
    const again = article.getByRole('button', { name: 'Try again' });

    await context.route(FILE, (route) => route.fulfill({ status: 410, body: body('gone', 'Withdrawn.') }));
    await page.goto(site.url + downloadPath('base', { genre: 'briefs', date: DATE }));
    await article.getByText('Withdrawn.').waitFor();
    expect(await again.count()).toBe(0);
    await context.unroute(FILE);
    await context.route(FILE, (route) => route.fulfill({ status: 429, body: body('rate-limited', 'Wait.') }));
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await article.getByText('Wait.').waitFor();
    await context.unroute(FILE);
    await context.route(FILE, (route) => route.abort());
    await again.click();
    await article.getByText('The service did not answer with the text.').waitFor();
    await context.unroute(FILE);
    await again.click();
    await article.getByText('on 2023-03-01: ').waitFor();
    expect(await again.count()).toBe(0);
  },
  SLOW_MS,
);
