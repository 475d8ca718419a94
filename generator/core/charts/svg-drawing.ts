import { DOMParser } from 'linkedom/worker';
import { withMinusSigns } from '../text/minus-sign.js';

const NAMESPACE = 'http://www.w3.org/2000/svg';
/** Characters that XML 1.0 does not allow, even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
/** Decimals of coordinates. Rounding moves a point by at most 0.05 units, which is 0.05 pixels at a width of 720 pixels. */
const DECIMALS = 1;

/** The part of Element that drawing uses. */
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

/** The part of Document that drawing uses. */
export type SvgDocument = {
  readonly documentElement: SvgElement;
  createElementNS(namespace: string, name: string): SvgElement;
};

/** Attributes of an element; numbers are rounded as coordinates. */
export type SvgAttributes = Readonly<Record<string, string | number>>;

/** Returns a new empty SVG document, independent of earlier drawings. */
export function createSvgDocument(): SvgDocument {
  const parser = new DOMParser();
  return parser.parseFromString(`<svg xmlns="${NAMESPACE}"/>`, 'image/svg+xml') as unknown as SvgDocument; // linkedom's type lacks the members used here
}

/** Returns a new element with attributes and text or children. Numbers in the text get a typographic minus sign. */
export function svgElement(
  document: SvgDocument,
  name: string,
  attributes: SvgAttributes,
  content: string | readonly SvgElement[] = [],
): SvgElement {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(
      key,
      typeof value === 'number' ? roundCoordinates(String(value)) : replaceInvalidXml(value),
    );
  }
  if (typeof content === 'string') element.textContent = withMinusSigns(replaceInvalidXml(content));
  else element.append(...content);
  return element;
}

/**
 * Returns the non-empty marks of a plot as groups for another document, with rounded coordinates. Their
 * `transform` is removed, a shift by half a pixel that depends on `devicePixelRatio`, and their `aria-label`, which is
 * Plot's name of the mark and would be read aloud.
 */
export function extractMarks(plot: SvgElement): SvgElement[] {
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
  return text.replace(/-?\d+\.\d+(?:e-?\d+)?/g, (number) => String(Number(Number(number).toFixed(DECIMALS))));
}

function replaceInvalidXml(text: string): string {
  return text.replace(NOT_XML, '\uFFFD');
}
