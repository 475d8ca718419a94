import { latenessWords } from './freshness-words.js';

/** Shows which data is late or stale by the reader's clock, now and whenever the page is looked at again. */
export function watchFreshness(): void {
  const update = (): void => {
    for (const element of document.querySelectorAll<HTMLElement>('[data-stale-after], .warning[hidden]'))
      show(element);
  };
  document.addEventListener('visibilitychange', update);
  update();
}

function show(element: HTMLElement): void {
  const { lateAfter, staleAfter } = element.dataset;
  const limits = { late_after: lateAfter || null, stale_after: staleAfter || null };
  const lateness = latenessWords(limits, Date.now());
  element.hidden = lateness === undefined;
  if (lateness === undefined) return;
  element.dataset['state'] = lateness.state;
  let words = element.querySelector('strong.freshness-words');
  if (words === null) {
    words = document.createElement('strong');
    words.className = 'freshness-words';
    element.prepend(words, element.textContent.trim() === '' ? '' : ' ');
  }
  words.textContent = `${lateness.words}.`;
}
