import { button, element } from '../dom.js';

/** What a dialog asks before something cannot be undone. */
type Question = {
  readonly title: string;
  readonly text: string;
  /** Label of the button that does it. */
  readonly yes: string;
  readonly no: string;
  /** A word that must be typed first; none by default. */
  readonly typed?: string;
};

/** Asks in a modal dialog, and resolves to the answer. Escape means no. The focus returns to where it was. */
export function confirmInDialog({ title, text, yes, no, typed }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const word = element('input', {
      id: 'confirm-word',
      type: 'text',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    const fault = element('p', { class: 'fault', role: 'alert' });
    const dialog = element('dialog', {
      'aria-labelledby': 'confirm-title',
      'aria-describedby': 'confirm-text',
    });
    // Not left to the event of the closing, which comes a task later: until then, the button that asked ignores presses.
    const finish = (answer: string): void => {
      if (!dialog.isConnected) return;
      dialog.close(answer);
      dialog.remove();
      if (before instanceof HTMLElement) before.focus();
      resolve(answer === 'yes');
    };
    const accept = (): void => {
      if (typed === undefined || word.value.trim() === typed) finish('yes');
      else fault.textContent = `Type ${typed} to confirm.`;
    };
    dialog.append(
      element('h2', { id: 'confirm-title' }, title),
      element('p', { id: 'confirm-text' }, text),
      ...(typed === undefined
        ? []
        : [element('label', { for: 'confirm-word' }, `Type ${typed} to confirm`), word, fault]),
      element(
        'div',
        { class: 'row' },
        button(no, () => finish('no')),
        button(yes, accept, 'bad'),
      ),
    );
    word.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') accept();
    });
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      finish('no');
    });
    dialog.addEventListener('close', () => finish(dialog.returnValue)); // a browser may close without asking
    document.body.append(dialog);
    dialog.showModal();
  });
}
