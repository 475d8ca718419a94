import { CHAIN_IDS, CHAINS } from '../../../../schemas/catalog.js';
import { bundlePath, PAGE_PATHS } from '../../../../schemas/paths.js';
import type { Entitlements } from '../../../../schemas/types.generated.js';
import { button, element } from '../dom.js';
import { copyButton } from './copy-button.js';

/** A key that was just created. `key` is its secret, which the gateway does not show again. */
export type NewKey = { readonly key: string; readonly id: string; readonly label: string | null };

/**
 * Returns a command that downloads a file with a key. curl sends `Authorization` to no other host, so the key goes only to the
 * gateway. A refusal shows its reason.
 */
function firstCommand(origin: string, key: string, { chains }: Pick<Entitlements, 'chains'>): string {
  const path = bundlePath('meta', chains[0] ?? CHAIN_IDS[0], '7d');
  return `curl -sSL --fail-with-body -H 'Authorization: Bearer ${key}' '${origin}${path}'`;
}

/** Returns the lines of Python that read the regimes of the last week, with a key in the environment. */
function firstProgram({ chains }: Pick<Entitlements, 'chains'>): string {
  const chain = chains[0] ?? CHAIN_IDS[0];
  return `import crd\nweek = crd.bundle("meta", "${chain}", "7d")\nprint(week[["date", "regime", "confidence"]])`;
}

/** Returns the box that shows a new key once, with lines that use it. */
export function newKeyBox(created: NewKey, entitlements: Entitlements, onDone: () => void): HTMLElement {
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
    copyBlock('key', created.key, { id: 'new-key' }),
    element('p', {}, 'Your programs find it in the environment. In a shell:'),
    copyBlock('export line', `export CRD_API_KEY=${created.key}`),
    element(
      'p',
      {},
      `In Python, the regimes of ${chain} over the last seven days. The `,
      element('a', { href: PAGE_PATHS.docs, target: '_blank', rel: 'noopener' }, 'documentation'),
      ' (opens in a new tab) shows how to install the client.',
    ),
    copyBlock('program', firstProgram(entitlements)),
    element('p', {}, 'The same with curl:'),
    copyBlock('command', firstCommand(location.origin, created.key, entitlements)),
    element('div', { class: 'row' }, button('I have saved it', onDone, 'main')),
  );
}

/** Returns a text with a button that copies it. */
function copyBlock(
  name: string,
  text: string,
  attributes: Readonly<Record<string, string>> = {},
): HTMLElement {
  const code = element('code', attributes, text);
  return element(
    'div',
    { class: 'secret' },
    element('pre', { tabindex: '0', role: 'region', 'aria-label': name }, code),
    copyButton(`Copy ${name}`, text, code),
  );
}
