import { ACCOUNT_PATHS } from '../../../schemas/paths.js';
import { showAccount } from './account-page.js';
import { isReturn, parseArrival, type Purpose } from './arrival.js';
import { button, element, requireElement } from './dom.js';
import { createGatewayApi } from './gateway-api.js';
import { keepSignedIn, StorageRefusedError, wasSignedIn } from './pending-sign-in.js';
import { readSettings, type Settings, type SignIn } from './settings.js';
import { beginSignIn, finishSignIn, signOutAt, type Session } from './sign-in.js';
import {
  gatewayDownView,
  insecureView,
  providerDownView,
  signedOutView,
  storageView,
  unconfiguredView,
  type SignedOutReason,
} from './views/notices.js';

const view = requireElement('view');
const person = requireElement('person');
/** Changes whenever someone signs in or out, so that late answers of an earlier session are not shown. */
let current: Session | undefined;

function show(...content: readonly Node[]): void {
  view.replaceChildren(...content);
  view.removeAttribute('aria-busy');
}

function showSignedOut(signIn: SignIn, purpose: Purpose, reason: SignedOutReason, code?: string): void {
  current = undefined;
  keepSignedIn(false);
  person.replaceChildren();
  show(...signedOutView({ reason, code, purpose }, () => begin(signIn, purpose, { asks: true })));
}

function showProviderDown(signIn: SignIn, purpose: Purpose, code: string): void {
  show(...providerDownView({ issuer: signIn.issuer, code }, () => begin(signIn, purpose, { asks: true })));
}

async function begin(signIn: SignIn, purpose: Purpose, how: { readonly asks: boolean }): Promise<void> {
  if (!isSecureContext) {
    show(...insecureView());
    return;
  }
  try {
    await beginSignIn(signIn, purpose, how);
  } catch (error) {
    if (!how.asks) showSignedOut(signIn, purpose, 'none');
    else if (error instanceof StorageRefusedError) show(...storageView(() => begin(signIn, purpose, how)));
    else showProviderDown(signIn, purpose, 'discovery_unreadable');
  }
}

async function enter(session: Session, signIn: SignIn, { sells }: Settings, purpose: Purpose): Promise<void> {
  current = session;
  keepSignedIn(true);
  const leave = (reason: SignedOutReason): void => showSignedOut(signIn, { kind: 'look' }, reason);
  const signOut = (): void => {
    leave('signed-out');
    if (session.signOut === undefined) return;
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
      if (effectiveDirective === 'form-action') leave('signed-out-here');
    });
    signOutAt(session.signOut);
  };
  person.replaceChildren(element('span', {}, session.who), button('Sign out', signOut));
  const isCurrent = (): boolean => current === session;
  const api = createGatewayApi(session.token, (reason, code) => {
    if (isCurrent()) showSignedOut(signIn, purpose, reason, code);
  });
  await showAccount({ api, sells, purpose, show, isCurrent, onDeleted: () => leave('deleted') });
}

async function start(query: string): Promise<void> {
  const arrival = parseArrival(query);
  const settings = await readSettings();
  if (settings === undefined) {
    show(...gatewayDownView(undefined, () => start(query)));
    return;
  }
  const { sign_in: signIn } = settings;
  if (signIn === null) {
    show(...unconfiguredView());
    return;
  }
  if (arrival.kind === 'visit') {
    const isKnown = isReturn(arrival.purpose) || wasSignedIn();
    keepSignedIn(false); // one silent attempt: a provider may show an error of its own instead of an answer
    if (isKnown) await begin(signIn, arrival.purpose, { asks: false });
    else showSignedOut(signIn, arrival.purpose, 'none');
    return;
  }
  const result = await finishSignIn(signIn, arrival.parameters);
  if (result.kind === 'signed-in') await enter(result.session, signIn, settings, result.purpose);
  else if (result.kind === 'provider-down') showProviderDown(signIn, result.purpose, result.code);
  else if (result.kind === 'must-ask') showSignedOut(signIn, result.purpose, 'none');
  else showSignedOut(signIn, result.purpose, result.reason, result.code);
}

const { search } = location;
// The address keeps neither the code nor anything else that a history or a screenshot would show.
history.replaceState(null, '', ACCOUNT_PATHS.page);
void start(search);
