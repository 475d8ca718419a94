import { button, element } from '../dom.js';
import { instantDateWords } from '../words.js';

/** A key as the gateway lists it. */
export type ListedKey = {
  readonly id: string;
  readonly label: string | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
  readonly last_used: string | null;
};

/** Options for `keysSection`. */
type KeysSectionOptions = {
  readonly keys: readonly ListedKey[];
  /** Whether the plan lets its owner create keys now. */
  readonly canCreate: boolean;
  /** Creates a key and resolves to what is wrong, if anything. */
  readonly create: (label: string) => Promise<string | undefined>;
  readonly revoke: (key: ListedKey) => Promise<void>;
};

/** Maximum number of active keys of an account. */
const ACTIVE_KEYS = 5;

/** Returns the content of the section about keys: a form for a new one, and a table of all. */
export function keysSection(options: KeysSectionOptions): Node[] {
  const { keys, canCreate } = options;
  const active = keys.filter(({ revoked_at: revoked }) => revoked === null);
  const intro = canCreate
    ? 'Your programs send a key with each download. Use a separate key for each program, so that you can revoke one without affecting the others.'
    : 'You can create keys as soon as a plan is active.';
  return [
    element('h2', { id: 'keys-title' }, 'API keys'),
    element('p', {}, intro),
    ...(canCreate ? [active.length < ACTIVE_KEYS ? createForm(options) : element('p', {}, FULL)] : []),
    ...(keys.length === 0 ? [] : [keyTable(options)]),
  ];
}

const FULL = `You have ${ACTIVE_KEYS} active keys, the most an account can have. Revoke one to create another.`;

function createForm({ create }: KeysSectionOptions): HTMLElement {
  const label = element('input', {
    id: 'label',
    type: 'text',
    maxlength: '64',
    autocomplete: 'off',
    placeholder: 'notebook',
    'aria-describedby': 'label-fault',
  });
  const fault = element('p', { class: 'fault', id: 'label-fault', role: 'alert' });
  const submit = async (): Promise<void> => {
    fault.textContent = (await create(label.value.trim())) ?? '';
    if (fault.textContent !== '') label.focus();
  };
  const press = button('Create key', submit, 'main');
  label.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') press.click();
  });
  return element(
    'div',
    {},
    element(
      'div',
      { class: 'field line' },
      element('label', { for: 'label' }, 'Label of the new key (optional)'),
      label,
      press,
    ),
    fault,
  );
}

function keyTable({ keys, canCreate, revoke }: KeysSectionOptions): HTMLElement {
  const heads = ['Label', 'State', 'Action', 'Last used', 'Created', 'ID'].map((name) =>
    element('th', { scope: 'col' }, name),
  );
  const rows = keys
    .toReversed()
    .map((key) =>
      element(
        'tr',
        key.revoked_at === null ? {} : { class: 'revoked' },
        element('th', { scope: 'row' }, key.label ?? 'without a label'),
        element('td', {}, ...stateOf(key, canCreate)),
        element('td', {}, ...actionOf(key, revoke)),
        element('td', {}, key.last_used === null ? 'never' : dateCell(key.last_used)),
        element('td', {}, dateCell(key.created_at)),
        element('td', {}, element('code', {}, key.id)),
      ),
    );
  return element(
    'div',
    { class: 'table', tabindex: '0', role: 'region', 'aria-labelledby': 'keys-title' },
    element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...rows)),
  );
}

/** Returns whether a key works. Keys work while a plan is active. */
function stateOf({ revoked_at: revoked }: ListedKey, hasPlan: boolean): (Node | string)[] {
  if (revoked !== null) return ['revoked on ', dateCell(revoked)];
  return [hasPlan ? 'active' : 'paused: no plan'];
}

function actionOf(key: ListedKey, revoke: KeysSectionOptions['revoke']): Node[] {
  if (key.revoked_at !== null) return [];
  const press = button('Revoke', () => revoke(key));
  press.setAttribute('aria-label', `Revoke ${key.label ?? key.id}`);
  return [press];
}

function dateCell(instant: string): HTMLElement {
  return element('time', { datetime: instant }, instantDateWords(instant));
}
