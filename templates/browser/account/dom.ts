/** Properties of an element. Values become attributes or text, never markup. */
type Properties = {
  readonly class?: string;
  readonly id?: string;
  readonly type?: string;
  readonly name?: string;
  readonly value?: string;
  readonly for?: string;
  readonly href?: string;
  readonly action?: string;
  readonly method?: 'post';
  readonly target?: '_blank';
  readonly rel?: 'noopener';
  readonly maxlength?: string;
  readonly autocomplete?: 'off';
  readonly spellcheck?: 'false';
  readonly placeholder?: string;
  readonly tabindex?: '0' | '-1';
  readonly role?: string;
  readonly scope?: 'col' | 'row';
  readonly datetime?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-labelledby'?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-live'?: 'polite';
};

/** Creates an element with attributes and children. A string becomes text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

/** Returns the element with an id. @throws Error if the page has none */
export function requireElement(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** Creates a button that runs `work` when it is pressed. While an asynchronous `work` runs, it ignores further presses. */
export function button(
  label: string,
  work: () => unknown,
  look: 'main' | 'plain' | 'bad' = 'plain',
): HTMLButtonElement {
  const created = element('button', { type: 'button', class: look }, label);
  created.addEventListener('click', () => {
    if (created.getAttribute('aria-disabled') === 'true') return;
    const running = work();
    if (!(running instanceof Promise)) return;
    created.setAttribute('aria-disabled', 'true'); // a disabled button would lose the focus
    void running.finally(() => created.removeAttribute('aria-disabled'));
  });
  return created;
}
