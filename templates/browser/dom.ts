/** Creates an element with properties and children. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<
    Pick<HTMLElementTagNameMap[K] & HTMLElement, 'className' | 'textContent' | 'hidden'>
  > = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Offers bytes to the reader as a file. */
export function saveFile(name: string, body: Blob): void {
  const url = URL.createObjectURL(body);
  const link = create('a', { hidden: true });
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // the browser reads the file after the click
}

/** Returns the colour scheme of the page. */
export function currentScheme(): 'light' | 'dark' {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
