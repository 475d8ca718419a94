import { create } from '../dom.js';
import type { FileResult } from './chosen-files.js';
import type { Step, StepState } from './proof-steps.js';
import type { Verdict } from './verdicts.js';

/** The state of a step or a file in a word, beside its mark. */
const STATE_WORDS: Readonly<Record<StepState, string>> = {
  waiting: 'not checked',
  checking: 'checking…',
  proven: 'proven',
  failed: 'failed',
  unproven: 'not proven',
};

/** Returns the element with an id. @throws Error if the page has none */
export function requireElement(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** Shows the state of each step. A step without words keeps the sentence of the page about it. */
export function showSteps(steps: readonly Step[]): void {
  for (const { id, state, words } of steps) {
    const item = requireElement(`step-${id}`);
    item.dataset['state'] = state;
    const mark = item.querySelector<HTMLElement>('.state');
    const text = item.querySelector<HTMLElement>('.words');
    if (mark === null || text === null) continue;
    mark.hidden = false;
    mark.textContent = STATE_WORDS[state];
    const about = (text.dataset['about'] ??= text.textContent);
    text.textContent = words ?? about;
  }
}

/** Shows how many public files are verified; hides the bar without numbers. */
export function showProgress(verified?: number, files?: number): void {
  const bar = requireElement('progress') as HTMLProgressElement; // of the template
  bar.hidden = files === undefined;
  if (files === undefined) return;
  bar.max = files;
  bar.value = verified ?? 0;
}

/** Shows the result and announces it to screen readers. */
export function showVerdict({ state, title, paragraphs }: Verdict): void {
  const verdict = requireElement('verdict');
  verdict.dataset['state'] = state;
  verdict.replaceChildren(
    create('p', { className: 'verdict-title', textContent: title }),
    ...paragraphs.map((text) => create('p', { textContent: text })),
  );
}

/** Shows the results for the reader's files, and says above them how many are proven. */
export function showResults(results: readonly FileResult[], words: string): void {
  requireElement('chosen-words').textContent = words;
  requireElement('results').replaceChildren(
    ...results.map(({ name, state, words: text }) => {
      const heading = create('h3', {}, [
        create('code', { textContent: name }),
        ' ',
        create('span', { className: 'state', textContent: STATE_WORDS[state] }),
      ]);
      const item = create('li', {}, [heading, create('p', { className: 'words', textContent: text })]);
      item.dataset['state'] = state;
      return item;
    }),
  );
}
