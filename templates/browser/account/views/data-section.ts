import { button, element } from '../dom.js';

/** Options for `dataSection`. */
export type DataSectionOptions = {
  /** Downloads everything that is kept about the account. */
  readonly download: () => Promise<void>;
  /** Deletes the account, after a confirmation. */
  readonly remove: () => Promise<void>;
};

/** Returns the content of the section about the account's own data. */
export function dataSection({ download, remove }: DataSectionOptions): Node[] {
  return [
    element('h2', {}, 'Your data'),
    element(
      'p',
      {},
      'We keep the id that the sign-in service gives you, your keys without their secrets, the last day on which each key was used, your subscriptions, and access that we granted. The payment service keeps your invoices.',
    ),
    element(
      'div',
      { class: 'row' },
      button('Download your data', download),
      button('Delete account', remove),
    ),
  ];
}

/** Saves a document as a file. */
export function saveAsFile(document_: unknown, name: string): void {
  const blob = new Blob([JSON.stringify(document_, null, 2)], { type: 'application/json' });
  const link = element('a', { href: URL.createObjectURL(blob) });
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // after the browser has read it
}
