import { countWords, matchesQuery } from './search-words.js';

type Entry = { readonly element: HTMLElement; readonly text: string };

/** Shows the filter of the API reference and the glossary, which hides the entries and sections of the page without the words. */
export function enhanceFilter(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-search]');
  if (form === null) return;
  const input = form.querySelector('input');
  const status = form.querySelector<HTMLElement>('[role=status]');
  if (input === null || status === null) return;
  const entries = [...document.querySelectorAll<HTMLElement>('[data-found]')].map((element): Entry => ({
    element,
    text: `${element.textContent} ${element.dataset['words'] ?? ''}`,
  }));
  const sections = [...document.querySelectorAll<HTMLElement>('main section')].map((section) => {
    const group = section.querySelector<HTMLDetailsElement>('details.group');
    return { section, group, wasOpen: group?.open === true };
  });

  const update = (): void => {
    const query = input.value.trim();
    let found = 0;
    for (const { element, text } of entries) {
      element.hidden = !matchesQuery(text, query);
      if (!element.hidden) found += 1;
    }
    for (const { section, group, wasOpen } of sections) {
      section.hidden = section.querySelector('[data-found]:not([hidden])') === null;
      if (group !== null) group.open = query === '' ? wasOpen : !section.hidden;
    }
    status.textContent = countWords(found, entries.length, query);
  };
  const openFirst = (): void =>
    document.querySelector<HTMLElement>('[data-found]:not([hidden]) a[href]')?.focus();

  form.hidden = false;
  input.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    openFirst();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') input.value = '';
    else if (event.key === 'ArrowDown') openFirst();
    else return;
    event.preventDefault();
    update();
  });
}
