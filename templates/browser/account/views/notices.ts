import { PAGE_PATHS } from '../../../../schemas/paths.js';
import { type Purpose, wantedBrief } from '../arrival.js';
import { button, element } from '../dom.js';
import type { Refusal } from '../sign-in.js';
import { briefWords, planWords } from '../words.js';

/** Why nobody is signed in. */
export type SignedOutReason =
  Refusal | 'expired' | 'not-accepted' | 'signed-out' | 'signed-out-here' | 'deleted' | 'none';

/** Someone who is not signed in: why, its error code if there is one, and what the visit is for. */
type SignedOut = {
  readonly reason: SignedOutReason;
  readonly code: string | undefined;
  readonly purpose: Purpose;
};

const REASONS: Readonly<Record<SignedOutReason, string>> = {
  none: '',
  denied: 'The sign-in was cancelled.',
  'not-begun-here': 'This sign-in was already used, or was started in another tab. Sign in again.',
  'refused-there':
    'The sign-in service did not sign you in. Try again. If that does not help, tell the operator of this site.',
  'not-valid': 'The response from the sign-in service was not valid, so you were not signed in. Try again.',
  expired: 'Your session has ended. Sign in again.',
  'not-accepted':
    'The sign-in service knows you, but this service does not accept its sign-in. Signing in again will not help: its operator has to correct the configuration.',
  'signed-out': 'You are signed out.',
  'signed-out-here':
    'You are signed out here, but perhaps not at the sign-in service: your browser did not let this page send you there. Its operator has to add an address to the configuration.',
  deleted: 'Your account was deleted. Its keys no longer work.',
};

const PURPOSES: Readonly<Record<Exclude<Purpose['kind'], 'buy'>, string>> = {
  look: 'Sign in to see your plan, create API keys and download files.',
  paid: 'Thank you. Sign in again to see whether your payment is confirmed.',
  'not-paid': 'Nothing was charged. Sign in again to choose a plan.',
  download: 'Sign in to download files with a click, or see what the plans include.',
  portal: 'Sign in again to see the changes that you made in the billing portal.',
};

/** Returns why someone should sign in. */
function purposeWords(purpose: Purpose): string {
  const brief = wantedBrief(purpose);
  if (brief !== undefined)
    return `Sign in to read the brief for ${briefWords(brief)}, or see what the plans include.`;
  return purpose.kind === 'buy'
    ? `Sign in to buy ${planWords(purpose)}. If you have no account, the sign-in service lets you create one.`
    : PURPOSES[purpose.kind];
}

/** Returns the page for someone who is not signed in. */
export function signedOutView({ reason, code, purpose }: SignedOut, signIn: () => Promise<void>): Node[] {
  const words = code === undefined ? REASONS[reason] : `${REASONS[reason]} (Code: ${code}.)`;
  return [
    ...(words === '' ? [] : [element('p', { class: 'notice' }, words)]),
    element('p', { class: 'lead' }, purposeWords(purpose)),
    element(
      'div',
      { class: 'row' },
      button('Sign in', signIn, 'main'),
      element('a', { href: PAGE_PATHS.pricing }, 'See the plans'),
    ),
  ];
}

/** Returns the page while the sign-in service does not answer. */
export function providerDownView(
  { issuer, code }: { readonly issuer: string; readonly code: string },
  retry: () => Promise<void>,
): Node[] {
  return problemView(
    'Sign-in is not available right now',
    `The sign-in service at ${new URL(issuer).host} does not answer this page. Your programs are not affected: API keys keep working. Only this page has to wait. (Code: ${code}.)`,
    retry,
  );
}

/** Returns the page in a browser that allows no cryptography: it was opened over plain HTTP. */
export function insecureView(): Node[] {
  return [
    element(
      'p',
      { class: 'notice' },
      'Sign-in needs a secure connection. Open this page at an address that begins with https://.',
    ),
  ];
}

/** Returns the page in a browser that blocks site data. */
export function storageView(retry: () => Promise<void>): Node[] {
  return problemView(
    'Your browser blocks site data',
    'While you sign in, this page keeps a few values in this tab, and deletes them afterwards. It sets no cookie. Allow site data for this site, and try again.',
    retry,
  );
}

/** Returns the page while the gateway or its accounts do not answer. */
export function gatewayDownView(detail: string | undefined, retry: () => Promise<void>): Node[] {
  return problemView(
    'Your account cannot be read right now',
    `${detail ?? 'The service did not answer.'} Nothing in your account was changed. Downloads with your keys may still work: the service remembers keys for up to ten minutes. Public files need no key.`,
    retry,
  );
}

/** Returns the page of a gateway whose operator configured no sign-in. */
export function unconfiguredView(): Node[] {
  return [
    element('p', { class: 'lead' }, 'Sign-in is not configured on this gateway.'),
    element(
      'p',
      {},
      'Its operator can create an API key for you. Public files need none: the ',
      element('a', { href: PAGE_PATHS.docs }, 'documentation'),
      ' lists them.',
    ),
  ];
}

function problemView(title: string, text: string, retry: () => Promise<void>): Node[] {
  return [
    element(
      'div',
      { class: 'card state bad' },
      element('h2', {}, title),
      element('p', {}, text),
      element('div', { class: 'row' }, button('Try again', retry, 'main')),
    ),
  ];
}
