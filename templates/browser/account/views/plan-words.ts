import type { AccountState } from '../account-state.js';
import { instantDateWords, planWords } from '../words.js';

/** A state of an account in words. `tone` is `bad` when the reader should do something. */
type StateWords = {
  readonly title: string;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
};

/** Returns the state of an account in words: what is the case, until when, and what to do. */
export function stateWords(state: AccountState): StateWords {
  switch (state.kind) {
    case 'none':
      return {
        title: 'No plan yet',
        tone: 'plain',
        text: 'Choose a plan to download files. You can cancel at any time.',
      };
    case 'active':
      return { title: planWords(state.held), tone: 'good', text: activeText(state) };
    case 'cancelled':
      return {
        title: `${planWords(state.held)}, cancelled`,
        tone: 'plain',
        text: `Your keys work until ${instantDateWords(state.until)}. You will not be charged again. To keep the plan, renew it in the billing portal before then.`,
      };
    case 'unpaid':
      return {
        title: `${planWords(state.held)}: the payment failed`,
        tone: 'bad',
        text: `The last payment did not go through. Your keys work until ${instantDateWords(state.until)}. Update your card in the billing portal to keep them working.`,
      };
    default:
      return withoutAccess(state);
  }
}

function withoutAccess(
  state: Exclude<AccountState, { readonly kind: 'none' | 'active' | 'cancelled' | 'unpaid' }>,
): StateWords {
  switch (state.kind) {
    case 'waiting':
      return {
        title: 'Waiting for your payment',
        tone: 'plain',
        text: 'The payment service has not confirmed it yet. This usually takes a few seconds, and the page waits for two minutes. You need not do anything, unless your bank asks you to confirm the payment.',
      };
    case 'late':
      return {
        title: 'Your payment is not confirmed yet',
        tone: 'bad',
        text: 'The page stopped waiting after two minutes. If your bank asked you to confirm the payment, do that first. If you paid, the plan starts automatically once the payment is confirmed: check again in a few minutes. You will not be charged twice. If it does not start within an hour, contact us.',
      };
    case 'stopped':
      return {
        title: `${state.held === null ? 'Your plan' : planWords(state.held)} is paused`,
        tone: 'bad',
        text: 'Your keys do not work now, because the subscription is not paid or is paused. Resolve this in the billing portal, and they will work again.',
      };
    case 'not-paid':
      return {
        title: 'The payment was not completed',
        tone: 'plain',
        text: 'Nothing was charged, and no plan has started. Choose a plan to try again.',
      };
    case 'ended':
      return {
        title: `${state.held === null ? 'Your plan' : planWords(state.held)} has ended`,
        tone: 'plain',
        text: `${state.ended === null ? '' : `It ended on ${instantDateWords(state.ended)}. `}Your account and your keys are kept. If you buy a plan again, the same keys work again.`,
      };
    case 'refunded':
      return {
        title: `${state.held === null ? 'Your plan' : planWords(state.held)} was refunded`,
        tone: 'bad',
        text: 'Your keys do not work now. The subscription itself is not cancelled, so it can charge you again when it renews. Cancel it in the billing portal. After that, you can buy a plan again.',
      };
    case 'attention':
      return {
        title: 'Something is wrong with your subscription',
        tone: 'bad',
        text: `We have been notified and will look into it. If you write to us, mention “${state.outcome}”.`,
      };
  }
}

/** Returns a subscription in words whose owner should do something, although a grant gives access. */
export function besideWords(state: AccountState): Pick<StateWords, 'title' | 'text'> {
  const title = 'Your subscription needs your attention';
  switch (state.kind) {
    case 'refunded':
      return {
        title,
        text: 'It was refunded but is not cancelled, so it can charge you again when it renews. Cancel it in the billing portal.',
      };
    case 'stopped':
      return { title, text: 'It is not paid or is paused. Pay or cancel it in the billing portal.' };
    default:
      return stateWords(state);
  }
}

function activeText({ renews, until }: Extract<AccountState, { readonly kind: 'active' }>): string {
  return renews === null
    ? `Your access ends on ${instantDateWords(until)}.`
    : `It renews on ${instantDateWords(renews)}.`;
}
