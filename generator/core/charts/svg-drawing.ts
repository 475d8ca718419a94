import { DOMParser } from 'linkedom/worker';

const NAMESPACE = 'http://www.w3.org/2000/svg';
/** What XML 1.0 cannot say, not even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
/** Coordinates are in units of which the narrowest picture shows two a pixel. */
const DECIMALS = 1;

/** As much of an element as drawing needs. */
export type SvgElement = {
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; value: string }>;
  readonly children: Iterable<SvgElement>;
  readonly outerHTML: string;
  textContent: string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  append(...children: readonly SvgElement[]): void;
};

/** A document without a page, in which a picture is drawn. */
export type SvgDocument = {
  readonly documentElement: SvgElement;
  createElementNS(namespace: string, name: string): SvgElement;
};

/** Attributes of an element; numbers are written as coordinates. */
export type SvgAttributes = Readonly<Record<string, string | number>>;

/** An empty SVG document of its own: nothing of it depends on what was drawn before. */
export function createSvgDocument(): SvgDocument {
  const parser = new DOMParser();
  return parser.parseFromString(`<svg xmlns="${NAMESPACE}"/>`, 'image/svg+xml') as unknown as SvgDocument; // a document
}

/** A new element with these attributes, and text or children. */
export function svgElement(
  document: SvgDocument,
  name: string,
  attributes: SvgAttributes,
  content: string | readonly SvgElement[] = [],
): SvgElement {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, typeof value === 'number' ? roundCoordinates(String(value)) : plain(value));
  }
  if (typeof content === 'string') element.textContent = plain(content);
  else element.append(...content);
  return element;
}

/**
 * The marks of a plot that show something, as groups for another picture: with rounded coordinates, and without the shift by half a pixel
 * that the library gives groups in some surroundings and not in others.
 */
export function takeMarks(plot: SvgElement): SvgElement[] {
  const marks = [...plot.children].filter(
    ({ localName, children }) => localName === 'g' && [...children].length > 0,
  );
  for (const mark of marks) {
    for (const name of ['transform', 'aria-label']) mark.removeAttribute(name);
    roundAttributes(mark);
  }
  return marks;
}

function roundAttributes(element: SvgElement): void {
  for (const attribute of element.attributes) attribute.value = roundCoordinates(attribute.value);
  for (const child of element.children) roundAttributes(child);
}

function roundCoordinates(text: string): string {
  return text.replace(/-?\d+\.\d+(?:e-?\d+)?/g, (number) =>
    String(Number(Number(number).toFixed(DECIMALS)) + 0),
  );
}

function plain(text: string): string {
  return text.replace(NOT_XML, '\uFFFD');
}
