import MarkdownIt, { type MarkdownIt as MarkdownParser, type Token } from 'markdown-it';
import { type TrustedHtml, trustHtml } from '../text/text-template.js';

/** A heading and the id of its anchor. */
type Heading = { readonly level: number; readonly id: string; readonly text: string };

/** A text as HTML: the heading that it begins with, if any, the part before the next heading, the rest, and its headings. */
type MarkdownPage = {
  readonly heading: TrustedHtml;
  readonly opening: TrustedHtml;
  readonly body: TrustedHtml;
  readonly headings: readonly Heading[];
};

/** HTML within Markdown is escaped like any other text. */
const markdown = createMarkdown();

/**
 * Renders Markdown. Headings get anchors, header cells a scope, and each table its own scrollable region. In a table
 * with an empty corner, the first cell of each row is its header. `section` is the heading above the text, which names the
 * tables before its first own one.
 */
export function renderMarkdown(text: string, section = ''): MarkdownPage {
  const tokens = markdown.parse(text, {});
  const headings = addNames(tokens, section);
  const opens = tokens.flatMap(({ type }, i) => (type === 'heading_open' ? [i] : []));
  const start = opens[0] === 0 ? tokens.findIndex(({ type }) => type === 'heading_close') + 1 : 0;
  const cut = opens[1] ?? tokens.length;
  const render = (part: Token[]): TrustedHtml =>
    trustHtml(markdown.renderer.render(part, markdown.options, {}));
  return {
    heading: render(tokens.slice(0, start)),
    opening: render(tokens.slice(start, cut)),
    body: render(tokens.slice(cut)),
    headings,
  };
}

/** Renders one line of Markdown, without a paragraph. */
export function renderMarkdownLine(text: string): TrustedHtml {
  return trustHtml(markdown.renderInline(text));
}

function createMarkdown(): MarkdownParser {
  const created = new MarkdownIt({ html: false, linkify: false, typographer: false });
  const { rules } = created.renderer;
  rules['table_open'] = (tokens, i, options, _env, self) => {
    const region = tokens[i]?.meta?.['region'];
    const name = created.utils.escapeHtml(typeof region === 'string' ? region : '');
    return `<div class="table" tabindex="0" role="region" aria-label="${name}">${self.renderToken(tokens, i, options)}`;
  };
  rules['table_close'] = (tokens, i, options, _env, self) =>
    `${self.renderToken(tokens, i, options)}</div>\n`;
  return created;
}

/** Adds ids to headings, scopes to header cells and names to tables. An empty header cell becomes a plain one. Returns the headings. */
function addNames(tokens: readonly Token[], section: string): Heading[] {
  const headings: Heading[] = [];
  let tables = 0;
  let hasRowHeaders = false;
  tokens.forEach((token, i) => {
    if (token.type === 'heading_open') {
      const text = plainText(tokens[i + 1]);
      const id = freeId(toSlug(text), headings);
      token.attrSet('id', id);
      headings.push({ level: Number(token.tag.slice(1)), id, text });
    }
    if (token.type === 'th_open' && plainText(tokens[i + 1]) !== '') token.attrSet('scope', 'col');
    else if (token.type === 'th_open') setTag([token, tokens[i + 2]], 'td');
    if (token.type === 'thead_open') hasRowHeaders = plainText(tokens[i + 3]) === '';
    if (token.type === 'td_open' && hasRowHeaders && tokens[i - 1]?.type === 'tr_open') {
      setTag([token, tokens[i + 2]], 'th');
      token.attrSet('scope', 'row');
    }
    if (token.type === 'table_open') {
      tables += 1;
      token.meta = { region: `Table ${tables}: ${headings.at(-1)?.text ?? section}` };
    }
  });
  return headings;
}

function setTag(tokens: readonly (Token | undefined)[], tag: string): void {
  for (const token of tokens) if (token !== undefined) token.tag = tag;
}

function plainText(inline: Token | undefined): string {
  return (inline?.children ?? []).map(({ content }) => content).join('');
}

/** Returns a text as an id: small letters, digits and hyphens. */
export function toSlug(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? 'part' : slug;
}

function freeId(slug: string, taken: readonly Heading[]): string {
  const isTaken = (id: string): boolean => taken.some((heading) => heading.id === id);
  if (!isTaken(slug)) return slug;
  let number = 2;
  while (isTaken(`${slug}-${number}`)) number += 1;
  return `${slug}-${number}`;
}
