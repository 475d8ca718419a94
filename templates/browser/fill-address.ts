import { UNKNOWN_ADDRESS } from '../../schemas/paths.js';

/** Puts the address of the page into commands of a site that was published without its own. */
export function fillAddress(): void {
  for (const code of document.querySelectorAll('code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      text.nodeValue = (text.nodeValue ?? '').replaceAll(UNKNOWN_ADDRESS, location.origin);
  }
}
