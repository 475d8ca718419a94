/** A node of an OpenAPI document. */
export type Node = { readonly [name: string]: unknown };

/** Resolves the references of one document. */
export type Resolver = (node: unknown) => Node;

/** Returns a resolver of local references. @throws Error when a reference has no target. */
export function createResolver(document: Node): Resolver {
  return function resolve(node: unknown): Node {
    const { $ref: ref, ...own } = asNode(node);
    if (typeof ref !== 'string') return own;
    const target = ref
      .replace(/^#\//, '')
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => asNode(at)[part], document);
    if (target === undefined) throw new Error(`The reference ${ref} has no target.`);
    return { ...resolve(target), ...own };
  };
}

/** Returns the value if it is an object, otherwise an empty node. */
export function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
}

/** Returns the value if it is a list, otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Returns the value if it is a string, otherwise an empty string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
