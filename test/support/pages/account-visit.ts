import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../../../scripts/browser/browser.js';
import { startAccountSite, type AccountSite } from '../../../scripts/demo/account-site.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';
import { publishSample } from '../release/published-sample.js';
import { findBarriers, keepScreen, overflowOf, overlapsOf, STEP_MS } from './browser-pages.js';

const TEMPLATES = path.join(import.meta.dirname, '../../../dist/templates');

/** An account site, the clock of its gateway, and the bank of its buyers. */
export type TestSite = AccountSite & {
  readonly clock: { aheadMs: number };
  /** Confirms the delayed payments. */
  readonly confirmPayments: () => void;
  readonly dispose: () => Promise<void>;
};

/** A tab of a browser of its own, with everything that it requested and reported. */
export type AccountVisit = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Addresses of all requests. */
  readonly urls: readonly string[];
  /** Values of the header Authorization of all requests. */
  readonly tokens: ReadonlySet<string>;
  /** Errors of scripts, and requests that failed or were answered with an error. */
  readonly faults: readonly string[];
};

/** Time limit of a test in a browser. */
export const SLOW_MS = 300_000;

/**
 * Starts a browser and a site before the tests of a file, closes all tabs after each test, and stops both at the end. `keep`
 * receives both.
 */
export function withAccountSite(
  keep: (started: { readonly browser: Browser; readonly site: TestSite }) => void,
): void {
  let browser: Browser;
  let site: TestSite;
  beforeAll(async () => {
    browser = await startBrowser();
    site = await startTestSite();
    keep({ browser, site });
  }, SLOW_MS);
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  }, SLOW_MS);
  afterAll(async () => {
    await browser.close();
    await site.dispose();
  }, SLOW_MS);
}

/** Starts a gateway on the published sample, an identity provider and a payment service. */
async function startTestSite(): Promise<TestSite> {
  const folder = await createTemporaryFolder();
  const clock = { aheadMs: 0 };
  const waiting: (() => void)[] = [];
  const site = await startAccountSite({
    env: {
      CRD_STORE: `file:${await publishSample()}`,
      CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
      CRD_LINK_SECRET: randomBytes(32).toString('hex'),
      CRD_METRICS_PORT: '0',
      CRD_LOG_LEVEL: 'silent',
      CRD_RATE_ADDRESS_PER_MINUTE: '60000',
    },
    templates: TEMPLATES,
    port: 0,
    bank: () => new Promise((resolve) => waiting.push(resolve)),
    now: () => Date.now() + clock.aheadMs,
  });
  return {
    ...site,
    clock,
    confirmPayments: () => waiting.splice(0).forEach((confirm) => confirm()),
    async dispose() {
      await site.stop();
      await folder.dispose();
    },
  };
}

/** Opens a tab without cookies. `script` runs in each page before the page's own. */
export async function openTab(
  browser: Browser,
  { script }: { readonly script?: string } = {},
): Promise<AccountVisit> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (script !== undefined) await context.addInitScript(script);
  context.setDefaultTimeout(STEP_MS);
  const page = await context.newPage();
  const [urls, faults, tokens] = [[] as string[], [] as string[], new Set<string>()];
  page.on('request', (request) => {
    urls.push(request.url());
    const { authorization } = request.headers();
    if (authorization !== undefined) tokens.add(authorization.replace('Bearer ', ''));
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  return { page, context, urls, tokens, faults };
}

/** Signs in as an account, from the page that is open. */
export async function signIn({ page }: Pick<AccountVisit, 'page'>, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens the account page, signs in, and waits for the account. */
export async function openAccount(
  visit: Pick<AccountVisit, 'page'>,
  site: TestSite,
  name: string,
): Promise<void> {
  await visit.page.goto(site.accountUrl);
  await signIn(visit, name);
  await visit.page.getByRole('button', { name: 'Sign out' }).waitFor();
  await visit.page.getByRole('heading', { name: 'API keys' }).waitFor();
}

/** Buys Research for the account that is signed in, and waits until it is active. */
export async function buyResearch({ page }: Pick<AccountVisit, 'page'>): Promise<void> {
  await page.getByRole('button', { name: 'Buy Research' }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByText('It renews on').waitFor();
}

/** Creates a key with a label and returns its text. */
export async function createKey({ page }: Pick<AccountVisit, 'page'>, label: string): Promise<string> {
  await page.getByLabel('Label of the new key').fill(label);
  await page.getByRole('button', { name: 'Create key' }).click();
  const text = await page.locator('#new-key').textContent();
  return text ?? '';
}

/** Checks that the page fits every width, and that axe finds no violations in either scheme. Stores screenshots. */
export async function expectGoodLook({ page }: Pick<AccountVisit, 'page'>, name: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect([name, width, await overflowOf(page), await overlapsOf(page)]).toEqual([name, width, 0, []]);
      await keepScreen(page, `account-${name}-${width}-${scheme}`);
    }
    expect([name, scheme, await findBarriers(page)]).toEqual([name, scheme, []]);
  }
}
