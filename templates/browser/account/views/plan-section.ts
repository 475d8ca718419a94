import { canBuy, hasPortal, type AccountState } from '../account-state.js';
import { button, element } from '../dom.js';
import { includedWords } from '../../../../schemas/words.js';
import type { Entitlements } from '../../../../schemas/types.generated.js';
import { planCards, type PlanCardsOptions } from './plan-cards.js';
import { besideWords, stateWords } from './plan-words.js';

/** Options for `planSection`. */
type PlanSectionOptions = PlanCardsOptions & {
  readonly entitlements: Entitlements;
  readonly sells: boolean;
  readonly openPortal: () => Promise<void>;
  readonly checkAgain: () => Promise<void>;
};

/** Returns the content of the section about the plan: its state in words, and what can be done. */
export function planSection(state: AccountState, options: PlanSectionOptions): Node[] {
  const { title, tone, text } = stateWords(state);
  const actions = actionsOf(state, options);
  return [
    element(
      'div',
      { class: `card state ${tone}` },
      element('h2', {}, title),
      element('p', {}, text),
      ...includedIn(state),
      ...actions,
    ),
    ...(state.kind === 'active' && state.beside !== undefined ? [warning(state.beside)] : []),
    ...offer(state, options),
  ];
}

/** Returns a card about a subscription that needs its owner although a grant gives access. */
function warning(state: AccountState): Node {
  const { title, text } = besideWords(state);
  return element('div', { class: 'card state bad' }, element('h2', {}, title), element('p', {}, text));
}

function includedIn(state: AccountState): Node[] {
  if (state.kind !== 'active' && state.kind !== 'cancelled' && state.kind !== 'unpaid') return [];
  return [
    element(
      'ul',
      {},
      ...includedWords(state.held.plan)
        .slice(state.held.chain === null ? 0 : 1) // the title names the one chain
        .map((words) => element('li', {}, words)),
    ),
  ];
}

function actionsOf(
  state: AccountState,
  { entitlements, sells, openPortal, checkAgain }: PlanSectionOptions,
): Node[] {
  const actions: Node[] = [];
  if (state.kind === 'late') actions.push(button('Check again', checkAgain, 'main'));
  if (sells && hasPortal(entitlements) && state.kind !== 'waiting' && state.kind !== 'not-paid') {
    const [label, look] = PORTAL_BUTTONS[state.kind] ?? ['Change or cancel in the billing portal', 'plain'];
    actions.push(button(label, openPortal, look));
  }
  return actions.length === 0 ? [] : [element('div', { class: 'row' }, ...actions)];
}

const PAY = ['Pay in the billing portal', 'main'] as const;

const PORTAL_BUTTONS: Partial<Record<AccountState['kind'], readonly [string, 'main' | 'plain']>> = {
  unpaid: PAY,
  stopped: PAY,
  cancelled: ['Renew in the billing portal', 'main'],
  refunded: ['Cancel in the billing portal', 'main'],
  late: ['Open the billing portal', 'plain'],
  ended: ['See your invoices in the billing portal', 'plain'],
};

function offer(state: AccountState, options: PlanSectionOptions): Node[] {
  if (!canBuy(state)) return [];
  if (!options.sells)
    return [element('p', {}, 'This service does not sell plans. Ask its operator for access.')];
  return [planCards(options)];
}
