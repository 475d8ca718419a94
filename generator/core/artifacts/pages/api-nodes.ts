/** A node of an OpenAPI document, looked into by name. */
export type Node = { readonly [name: string]: unknown };

/** Follows the references of one document. */
export type Resolver = (node: unknown) => Node;

/** A resolver of local references. @throws Error when one leads nowhere. */
export function createResolver(document: Node): Resolver {
  return function resolve(node: unknown): Node {
    const { $ref: ref, ...own } = asNode(node);
    if (typeof ref !== 'string') return own;
    const target = ref
      .replace(/^#\//, '')
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => asNode(at)[part], document);
    if (target === undefined) throw new Error(`${ref} leads nowhere`);
    return { ...resolve(target), ...own };
  };
}

/** The members of a node; none of what is no object. */
export function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
}

/** A node's member as a list; empty when it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** A member as text; empty when it is absent. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
