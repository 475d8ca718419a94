import { SaxesParser } from 'saxes';

/** An element of an SVG document. */
export type SvgNode = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: SvgNode[];
  text: string;
};

/** Parses an SVG document. @throws Error if it is not well-formed XML. */
export function readSvg(text: string): SvgNode {
  const root: SvgNode = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const node: SvgNode = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', (part) => {
    const node = open.at(-1);
    if (node !== undefined) node.text += part;
  });
  parser.write(text).close();
  const [svg] = root.children;
  if (svg === undefined) throw new Error('the document has no element');
  return svg;
}

/** Returns the element and its descendants that match, in document order. */
export function findAll(node: SvgNode, wanted: (node: SvgNode) => boolean): SvgNode[] {
  return [...(wanted(node) ? [node] : []), ...node.children.flatMap((child) => findAll(child, wanted))];
}

/** Returns the elements with a class. */
export function ofClass(node: SvgNode, name: string): SvgNode[] {
  return findAll(node, ({ attributes }) => (attributes['class'] ?? '').split(' ').includes(name));
}

/** Returns the elements with a tag name. */
export function ofTag(node: SvgNode, tag: string): SvgNode[] {
  return findAll(node, ({ name }) => name === tag);
}
