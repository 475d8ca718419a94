import { button } from '../dom.js';

/** Returns a button that copies a text. If the browser refuses, it selects `shown`, so that the reader can copy. */
export function copyButton(label: string, text: string, shown: HTMLElement): HTMLButtonElement {
  const created = button(label, async () => {
    try {
      await navigator.clipboard.writeText(text);
      created.textContent = 'Copied';
    } catch {
      getSelection()?.selectAllChildren(shown);
      created.textContent = 'Selected: copy it now';
    }
  });
  created.setAttribute('aria-live', 'polite');
  return created;
}
