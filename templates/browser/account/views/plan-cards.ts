import { CHAIN_IDS, CHAINS, PLAN_IDS, PLANS, type PlanId } from '../../../../schemas/catalog.js';
import type { Chain } from '../../../../schemas/types.generated.js';
import { button, element } from '../dom.js';
import { includedWords, planPriceWords } from '../../../../schemas/words.js';

/** Options for `planCards`. */
export type PlanCardsOptions = {
  /** The plan that a link asked for. */
  readonly wanted: { readonly plan: PlanId; readonly chain: Chain | null } | undefined;
  readonly buy: (plan: PlanId, chain: Chain | null) => Promise<void>;
};

/** Returns the plans as cards, each with its price, what it includes, and a button. A plan for one chain has a picker. */
export function planCards({ wanted, buy }: PlanCardsOptions): HTMLElement {
  return element('div', { class: 'cards' }, ...PLAN_IDS.map((plan) => planCard(plan, wanted, buy)));
}

function planCard(
  plan: PlanId,
  wanted: PlanCardsOptions['wanted'],
  buy: PlanCardsOptions['buy'],
): HTMLElement {
  const { name, chains } = PLANS[plan];
  const isWanted = wanted?.plan === plan;
  const picker = chainPicker(isWanted ? wanted.chain : null);
  const fault = element('p', { class: 'fault', id: 'chain-fault', role: 'alert' });
  const chosen = (): Chain | null =>
    chains === 'all' ? null : (CHAIN_IDS.find((chain) => chain === picker.value) ?? null);
  return element(
    'article',
    { class: isWanted ? 'card wanted' : 'card', 'aria-labelledby': `plan-${plan}` },
    element('h3', { id: `plan-${plan}` }, name),
    element('p', { class: 'price' }, planPriceWords(plan), element('small', {}, ' a month')),
    element('ul', {}, ...includedWords(plan).map((words) => element('li', {}, words))),
    ...(chains === 'all'
      ? []
      : [element('div', { class: 'field' }, element('label', { for: 'chain' }, 'Chain'), picker, fault)]),
    button(
      `Buy ${name}`,
      async () => {
        const chain = chosen();
        if (chains === 'all' || chain !== null) return buy(plan, chain);
        fault.textContent = 'Choose a chain first.';
        picker.setAttribute('aria-invalid', 'true');
        picker.focus();
      },
      'main',
    ),
  );
}

function chainPicker(wanted: Chain | null): HTMLSelectElement {
  const picker = element(
    'select',
    { id: 'chain', 'aria-describedby': 'chain-fault' },
    element('option', { value: '' }, 'Choose a chain'),
    ...CHAIN_IDS.map((chain) => element('option', { value: chain }, CHAINS[chain].name)),
  );
  picker.value = wanted ?? '';
  return picker;
}
