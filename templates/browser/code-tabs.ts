import { create } from './dom.js';
import { nextTab } from './next-tab.js';

/** Name of the chosen tab in the storage of the window. */
const STORED = 'crd-tab';

type Tab = { readonly id: string; readonly button: HTMLButtonElement; readonly panel: HTMLElement };

/**
 * Makes tabs of every group of blocks, which are below each other without a script. Choosing a language chooses it in all
 * groups of the page that have it, and on the next page of the window.
 */
export function enhanceTabs(): void {
  const elements = [...document.querySelectorAll<HTMLElement>('[data-tabs]')];
  const groups = elements.filter(hasChoice).map((element, i) =>
    enhanceGroup(element, `tabs-${i + 1}`, (id) => {
      for (const group of groups) group(id);
      store(id);
    }),
  );
  const stored = readStored();
  for (const group of groups) group(stored);
}

const hasChoice = (group: HTMLElement): boolean => group.querySelectorAll('[data-tab]').length > 1;

/** Makes tabs of a group. Returns the function that selects one, or does nothing if the group has no such tab. */
function enhanceGroup(
  element: HTMLElement,
  prefix: string,
  onChoose: (id: string) => void,
): (id: string | null) => void {
  const panels = [...element.querySelectorAll<HTMLElement>(':scope > [data-tab]')];
  const tabs = panels.map((panel) => toTab(panel, prefix));
  const list = create(
    'div',
    { className: 'tab-list' },
    tabs.map(({ button }) => button),
  );
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  element.prepend(list);
  element.classList.add('enhanced');

  const select = (id: string | null): void => {
    if (!tabs.some((tab) => tab.id === id)) return;
    for (const { id: own, button, panel } of tabs) {
      const isChosen = own === id;
      button.setAttribute('aria-selected', String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      panel.hidden = !isChosen;
    }
  };
  for (const [i, { id, button }] of tabs.entries()) {
    button.addEventListener('click', () => onChoose(id));
    button.addEventListener('keydown', (event) => {
      const next = tabs[nextTab(event.key, i, tabs.length) ?? -1];
      if (next === undefined) return;
      event.preventDefault();
      onChoose(next.id);
      next.button.focus();
    });
  }
  select(tabs[0]?.id ?? null);
  return select;
}

function toTab(panel: HTMLElement, prefix: string): Tab {
  const id = panel.dataset['tab'] ?? '';
  const heading = panel.querySelector<HTMLElement>(':scope > h2, :scope > h3');
  const button = create('button', { textContent: heading?.textContent ?? id });
  heading?.remove(); // the tab says it
  button.type = 'button';
  button.id = `${prefix}-${id}`;
  button.setAttribute('role', 'tab');
  panel.id = `${prefix}-${id}-panel`;
  button.setAttribute('aria-controls', panel.id);
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', button.id);
  return { id, button, panel };
}

function readStored(): string | null {
  try {
    return sessionStorage.getItem(STORED);
  } catch {
    return null; // the browser keeps nothing for this site
  }
}

function store(id: string): void {
  try {
    sessionStorage.setItem(STORED, id);
  } catch {
    // The choice then applies to this page only.
  }
}
