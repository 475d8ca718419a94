import { CHAIN_IDS, CHAINS } from '../../../../schemas/catalog.js';
import { bundlePath } from '../../../../schemas/paths.js';
import type { Entitlements } from '../../../../schemas/types.generated.js';
import { button, element } from '../dom.js';
import { copyButton } from './copy-button.js';

/** A key that was just created. `key` is its secret, which the gateway does not show again. */
export type NewKey = { readonly key: string; readonly id: string; readonly label: string | null };

/** Returns a command that downloads a file with a key. The key goes only to the gateway, not where it redirects to. */
export function firstCommand(origin: string, key: string, { chains }: Pick<Entitlements, 'chains'>): string {
  const path = bundlePath('meta', chains[0] ?? CHAIN_IDS[0], '7d');
  return `curl -s "$(curl -s -o /dev/null -w '%{redirect_url}' -H 'X-API-Key: ${key}' '${origin}${path}')"`;
}

/** Returns the box that shows a new key once, and a command that uses it. */
export function newKeyBox(created: NewKey, entitlements: Entitlements, onDone: () => void): HTMLElement {
  const secret = element('code', { id: 'new-key' }, created.key);
  const text = firstCommand(location.origin, created.key, entitlements);
  const command = element('code', {}, text);
  const chain = CHAINS[entitlements.chains[0] ?? CHAIN_IDS[0]].name;
  return element(
    'div',
    {
      class: 'card state good',
      id: 'key-box',
      tabindex: '-1',
      'aria-labelledby': 'key-title',
      role: 'group',
    },
    element(
      'h3',
      { id: 'key-title' },
      created.label === null ? 'Your new key' : `Your new key “${created.label}”`,
    ),
    element('p', {}, 'Copy it now: it is shown only once. Anyone who has it can download with your plan.'),
    element(
      'div',
      { class: 'secret' },
      element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Key' }, secret),
      copyButton('Copy key', created.key, secret),
    ),
    element('p', {}, `Try it: this command downloads the regimes of ${chain} over the last seven days.`),
    element(
      'div',
      { class: 'secret' },
      element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Command' }, command),
      copyButton('Copy command', text, command),
    ),
    element('div', { class: 'row' }, button('I have saved it', onDone, 'main')),
  );
}
