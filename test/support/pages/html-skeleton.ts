const TAG = /<(!?\/?[a-z][a-z0-9]*)((?:\s+[a-z][a-z0-9-]*(?:="[^"<]*")?)*)\s*\/?>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#x60;': '`',
  '&#x3D;': '=',
  '&amp;': '&',
};

/** A style sheet in a page: its selectors may contain `>`. */
const STYLE = /(?<=<style>)[^<]*(?=<\/style>)/g;

/**
 * Returns the tags of a page with the names of their attributes. @throws Error if a `<` or `>` is not part of a tag in the
 * form that our templates use.
 */
export function skeletonOf(page: string): string[] {
  const html = page.replace(STYLE, '');
  const tags = [...html.matchAll(TAG)].map(([, name = '', attributes = '']) =>
    [
      name,
      ...attributes
        .replace(/="[^"]*"/g, '')
        .trim()
        .split(/\s+/),
    ]
      .join(' ')
      .trim(),
  );
  const rest = html.replace(TAG, '');
  if (/[<>]/.test(rest))
    throw new Error(
      `not a tag in the form of our templates: ${rest.slice(Math.max(0, rest.search(/[<>]/) - 40)).slice(0, 80)}`,
    );
  return tags;
}

/** Returns the visible text of a page. */
export function textOf(html: string): string {
  return html
    .replace(TAG, '')
    .replace(/&(?:lt|gt|quot|#x27|#x60|#x3D|amp);/g, (entity) => ENTITIES[entity] ?? '');
}

/** Returns the decoded values of an attribute. */
export function attributesOf(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => textOf(value));
}
