import type { Browser } from 'playwright-core';
import type { Entitlements } from '../../../schemas/types.generated.js';
import {
  createKey,
  buyResearch,
  expectGoodLook,
  openAccount,
  openTab,
  signIn,
  SLOW_MS,
  withAccountSite,
  type TestSite,
} from '../../support/pages/account-visit.js';
import { BOUGHT, GRANTED, NOTHING, withSubscription } from '../../support/pages/entitlements.js';

let browser: Browser;
let site: TestSite;
withAccountSite((started) => ({ browser, site } = started));

const ENDED = { access_until: null } as const;

it.each<[name: string, heading: string, entitlements: Entitlements]>([
  ['stopped', 'is paused', withSubscription({ ...ENDED, state: 'past_due', outcome: 'inactive' })],
  ['refunded', 'was refunded', withSubscription({ ...ENDED, outcome: 'refunded' })],
  ['attention', 'Something is wrong', withSubscription({ ...ENDED, outcome: 'price-unknown' })],
  ['not-paid', 'was not completed', withSubscription({ ...ENDED, state: 'incomplete_expired' })],
  [
    'beside',
    'Your subscription needs your attention',
    { ...GRANTED, subscription: { ...BOUGHT, ...ENDED, outcome: 'refunded' } },
  ],
])(
  'an account in the state %s fits every width, and axe finds nothing',
  async (name, heading, entitlements) => {
    const { page, context } = await openTab(browser);
    await page.route('**/api/v1/entitlements', (route) => route.fulfill({ json: entitlements }));
    await openAccount({ page }, site, 'ada');
    await page.getByRole('heading', { name: heading }).waitFor();
    await expectGoodLook({ page }, name);
    await context.close();
  },
  SLOW_MS,
);

it(
  'stops waiting for a payment after two minutes, and says what to do',
  async () => {
    const { page, context } = await openTab(browser);
    await page.clock.install();
    await page.route('**/api/v1/entitlements', (route) => route.fulfill({ json: NOTHING }));
    await page.goto(`${site.accountUrl}?checkout=success&session_id=cs_1`);
    await signIn({ page }, 'ada');
    await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor();
    await page.clock.fastForward(121_000);
    await page.getByRole('heading', { name: 'Your payment is not confirmed yet' }).waitFor();
    await page.getByRole('button', { name: 'Check again' }).waitFor();
    await expectGoodLook({ page }, 'late');
    await context.close();
  },
  SLOW_MS,
);

it(
  'asks before it revokes a key or deletes the account, in dialogs that fit every width',
  async () => {
    const { page, context } = await openTab(browser);
    await openAccount({ page }, site, 'asked');
    await buyResearch({ page });
    await createKey({ page }, 'notebook');
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog').waitFor();
    await expectGoodLook({ page }, 'revoke-dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('dialog').waitFor();
    await expectGoodLook({ page }, 'delete-dialog');
    await context.close();
  },
  SLOW_MS,
);
