import { ENDPOINTS } from '../../../schemas/paths.js';
import type { Entitlements } from '../../../schemas/types.generated.js';
import { POLL_MS, toAccountState } from './account-state.js';
import { type BriefChoice, type Purpose, wantedBrief } from './arrival.js';
import { element } from './dom.js';
import { briefPath } from './downloads.js';
import type { Answer, GatewayApi } from './gateway-api.js';
import { keepBrief, takeBrief } from './pending-sign-in.js';
import { briefView } from './views/brief-view.js';
import { confirmInDialog } from './views/confirm.js';
import { dataSection, saveAsFile, type DataSectionOptions } from './views/data-section.js';
import { keysSection, type ListedKey } from './views/keys-section.js';
import { newKeyBox, type NewKey } from './views/new-key.js';
import { downloadsSection, type FileLink } from './views/downloads-section.js';
import { gatewayDownView } from './views/notices.js';
import { planSection } from './views/plan-section.js';

/** Options for `showAccount`. */
type AccountPageOptions = {
  readonly api: GatewayApi;
  readonly sells: boolean;
  readonly purpose: Purpose;
  /** Replaces the content of the page. */
  readonly show: (...content: readonly Node[]) => void;
  /** Called when the account was deleted. */
  readonly onDeleted: () => void;
  /** Returns whether the person is still signed in. */
  readonly isCurrent: () => boolean;
};

/** Shows the account of a session: the brief that the person came for, the plan, the files and the keys. */
export async function showAccount(options: AccountPageOptions): Promise<void> {
  const { api, purpose, show, isCurrent } = options;
  const openedMs = Date.now();
  const section = (): HTMLElement => element('section');
  const [brief, plan, downloads] = [section(), section(), section()];
  const [box, keys, data] = [section(), section(), section()];
  const notice = element('p', { role: 'status', class: 'notice' });
  notice.textContent = purpose.kind === 'not-paid' ? 'Nothing was charged.' : '';
  const showKeys = keyList({ ...options, box, keys, say });
  const reader = briefReader(api, brief);
  const wanted = wantedBrief(purpose);

  function say(words: string): void {
    notice.textContent = words;
    notice.scrollIntoView({ block: 'nearest' });
  }

  async function load(): Promise<void> {
    const text = wanted && reader.ask(wanted);
    const [entitlements, list] = await Promise.all([
      api.ask<Entitlements>('GET', ENDPOINTS.entitlements),
      api.ask<KeyList>('GET', ENDPOINTS.keys),
    ]);
    if (!isCurrent()) return;
    if (entitlements.kind !== 'ok' || list.kind !== 'ok') {
      show(...gatewayDownView(detailOf(entitlements) ?? detailOf(list), load));
      return;
    }
    show(notice, brief, plan, downloads, box, keys, data);
    showPlan(entitlements.document);
    downloads.replaceChildren(...downloadsOf(options, entitlements.document, reader.read));
    showKeys(entitlements.document, list.document);
    if (purpose.kind === 'download') downloads.scrollIntoView();
    const answer = await text;
    if (wanted && answer && isCurrent()) reader.show(wanted, answer);
  }

  function showPlan(entitlements: Entitlements): void {
    const isBackFromPayment = purpose.kind === 'paid';
    const state = toAccountState(entitlements, { nowMs: Date.now(), openedMs, isBackFromPayment });
    const wanted = purpose.kind === 'buy' ? purpose : undefined;
    const leave = (path: string, body: object): Promise<void> => leaveFor(api, path, body, say);
    plan.replaceChildren(
      ...planSection(state, {
        entitlements,
        sells: options.sells,
        wanted,
        buy: (id, chain) => leave(ENDPOINTS.checkout, chain === null ? { plan: id } : { plan: id, chain }),
        openPortal: () => leave(ENDPOINTS.portal, {}),
        checkAgain: load,
      }),
    );
    if (isBackFromPayment && state.kind === 'active') {
      notice.textContent = 'Thank you. Your plan is active.';
      void reader.readKept();
    }
    if (state.kind === 'waiting') setTimeout(() => void (isCurrent() && load()), POLL_MS);
  }

  data.append(...dataSection(dataActions(options, say)));
  await load();
}

/** Returns the section in which someone with a plan downloads files; nothing without a plan. */
function downloadsOf(
  { api, purpose }: AccountPageOptions,
  entitlements: Entitlements,
  read: (choice: BriefChoice) => Promise<void>,
): Node[] {
  if (!entitlements.active) return [];
  const wanted = purpose.kind === 'download' ? purpose : undefined;
  return downloadsSection({ entitlements, wanted, ask: (path) => api.ask<FileLink>('GET', path), read });
}

/** Returns the functions that request a brief and show it in a section. `show` moves the focus to its heading, and keeps a brief that a plan would open. */
function briefReader({ ask: request }: GatewayApi, section: HTMLElement) {
  const ask = (choice: BriefChoice): Promise<Answer<FileLink>> => request('GET', briefPath(choice));
  const read = async (choice: BriefChoice): Promise<void> => show(choice, await ask(choice));
  function show(choice: BriefChoice, answer: Answer<FileLink>): void {
    const { article, heading } = briefView(choice, answer, () => read(choice));
    section.replaceChildren(article);
    heading.focus();
    if (answer.kind === 'problem' && answer.status === 403) keepBrief(choice);
  }
  const readKept = async (): Promise<void> => {
    const kept = takeBrief();
    if (kept !== undefined) await read(kept);
  };
  return { ask, show, read, readKept };
}

type KeyListOptions = Pick<AccountPageOptions, 'api' | 'isCurrent'> & {
  /** Where a new key is shown, once. */
  readonly box: HTMLElement;
  readonly keys: HTMLElement;
  readonly say: (words: string) => void;
};

/** Returns the function that shows the keys, with what an owner can do with them. */
function keyList({ api, isCurrent, box, keys, say }: KeyListOptions) {
  return function showKeys(entitlements: Entitlements, { keys: listed }: KeyList): void {
    const reload = async (): Promise<void> => {
      const answer = await api.ask<KeyList>('GET', ENDPOINTS.keys);
      if (answer.kind === 'ok' && isCurrent()) showKeys(entitlements, answer.document);
    };
    const create = async (label: string): Promise<string | undefined> => {
      const answer = await api.ask<NewKey>('POST', ENDPOINTS.keys, label === '' ? {} : { label });
      if (answer.kind !== 'ok') return detailOf(answer) ?? NO_ANSWER;
      box.replaceChildren(newKeyBox(answer.document, entitlements, () => box.replaceChildren()));
      await reload();
      document.getElementById('key-box')?.focus();
      return undefined;
    };
    const revoke = async (key: ListedKey): Promise<void> => {
      if (!(await confirmInDialog(questionFor(key)))) return;
      const answer = await api.ask('DELETE', ENDPOINTS.keys, { id: key.id });
      await reload();
      say(answer.kind === 'ok' ? `The key ${nameOf(key)} is revoked.` : (detailOf(answer) ?? NO_ANSWER));
    };
    keys.replaceChildren(...keysSection({ keys: listed, canCreate: entitlements.active, create, revoke }));
  };
}

/** Returns what an owner can do with the account's own data. */
function dataActions(
  { api, onDeleted }: Pick<AccountPageOptions, 'api' | 'onDeleted'>,
  say: (words: string) => void,
): DataSectionOptions {
  return {
    async download() {
      const answer = await api.ask('GET', ENDPOINTS.account);
      if (answer.kind === 'ok') saveAsFile(answer.document, 'account.json');
      else say(detailOf(answer) ?? NO_ANSWER);
    },
    async remove() {
      if (!(await confirmInDialog(DELETE_QUESTION))) return;
      const answer = await api.ask('DELETE', ENDPOINTS.account, { confirm: 'delete' });
      if (answer.kind === 'ok') onDeleted();
      else say(detailOf(answer) ?? NO_ANSWER);
    },
  };
}

const DELETE_QUESTION = {
  title: 'Delete your account?',
  text: 'All keys stop working and are deleted. We keep the id of the account, the time of the deletion, and a record of access that we granted, which ends too. The payment service keeps your invoices. This cannot be undone. Your subscription must have ended first.',
  yes: 'Delete account',
  no: 'Keep it',
  typed: 'delete',
};

type KeyList = { readonly keys: readonly ListedKey[] };
type Addresses = { readonly checkout_url?: string; readonly portal_url?: string };

/** Leads the browser to the address at the payment service that the gateway answers with, or says why not. */
async function leaveFor(
  api: GatewayApi,
  path: string,
  body: object,
  say: (words: string) => void,
): Promise<void> {
  const answer = await api.ask<Addresses>('POST', path, body);
  const url = answer.kind === 'ok' ? (answer.document.checkout_url ?? answer.document.portal_url) : undefined;
  if (url !== undefined && /^https?:/.test(url)) location.assign(url);
  else say(detailOf(answer) ?? NO_ANSWER);
}

const NO_ANSWER =
  'The service did not answer, so we do not know whether this worked. Reload the page to check.';

function detailOf(answer: Answer<unknown>): string | undefined {
  return answer.kind === 'problem' ? answer.detail : undefined;
}

function nameOf({ label, id }: ListedKey): string {
  return label === null ? id : `“${label}”`;
}

function questionFor(key: ListedKey) {
  return {
    title: `Revoke the key ${nameOf(key)}?`,
    text: 'New downloads usually stop within half a minute. Links that were already issued work until they expire. This cannot be undone.',
    yes: 'Revoke key',
    no: 'Keep it',
  };
}
