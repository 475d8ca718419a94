import { create } from './dom.js';

/** Milliseconds for which a button says that the code was copied. */
const SHOWN_MS = 2_000;

/** Gives every block of code a button that copies it, and says so to screen readers. */
export function enhanceCode(): void {
  const blocks = document.querySelectorAll<HTMLElement>('pre[data-copy]');
  if (blocks.length === 0) return;
  const status = create('p', { className: 'unseen' });
  status.setAttribute('role', 'status');
  document.body.append(status);
  for (const block of blocks) addButton(block, (words) => (status.textContent = words));
}

function addButton(block: HTMLElement, announce: (words: string) => void): void {
  const label = block.getAttribute('aria-label') ?? 'code';
  const button = create('button', { className: 'copy', textContent: 'Copy' });
  button.type = 'button';
  button.setAttribute('aria-label', `Copy: ${label}`);
  const frame = create('div', { className: 'code' });
  block.replaceWith(frame);
  frame.append(block, button);
  button.addEventListener('click', () => {
    void copy(block).then((words) => {
      button.textContent = words;
      announce(`${words}: ${label}`);
      setTimeout(() => {
        button.textContent = 'Copy';
        announce('');
      }, SHOWN_MS);
    });
  });
}

/** Copies a block and returns what happened. If the browser refuses, selects the block for the reader to copy. */
async function copy(block: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(block.textContent);
    return 'Copied';
  } catch {
    getSelection()?.selectAllChildren(block);
    return 'Selected';
  }
}
