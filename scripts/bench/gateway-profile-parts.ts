/** A profile of the processor, as Node writes it: which node of the tree of calls was running in each sample. */
export type CpuProfile = {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
};

type ProfileNode = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
};

/** A part of the program with the time that it took itself, and its functions, the slowest first. */
export type ProfiledPart = {
  readonly name: string;
  readonly selfUs: number;
  readonly functions: readonly { readonly name: string; readonly selfUs: number }[];
};

/** Which part a file belongs to: the first row whose expression it matches. */
const PARTS: readonly (readonly [name: string, file: RegExp])[] = [
  [
    'start',
    /^node:internal\/(modules|bootstrap|process\/esm)|\/node_modules\/(ajv|ajv-formats|fast-uri|commander)\//,
  ],
  [
    'sign',
    /\/gateway\/(core\/sigv4|io\/s(3-url-signer|igned-url-cache))|\/schemas\/digest|node:internal\/crypto/,
  ],
  [
    'express and router',
    /\/node_modules\/(express|router|path-to-regexp|parseurl|finalhandler|proxy-addr|etag)\//,
  ],
  ['helmet', /\/node_modules\/helmet\//],
  ['cors', /\/node_modules\/(cors|vary)\//],
  [
    'log',
    /\/node_modules\/(pino|sonic-boom|pino-std-serializers|quick-format-unescaped|safe-stable-stringify|atomic-sleep|on-exit-leak-free)\/|\/gateway\/io\/(request-log|logger)|^node:fs/,
  ],
  ['metrics', /\/node_modules\/prom-client\/|\/gateway\/io\/metrics/],
  [
    'auth and limits',
    /\/gateway\/(io\/(authenticator|account|rate-limits|usage-recorder|key-)|core\/(api-key|account|rate-headers|client-address)|routes\/doorkeeper)|\/node_modules\/lru-cache\//,
  ],
  [
    'decide and find',
    /\/gateway\/core\/(entitlements|file-request|release-view|day-index|conditions|answer-form)|\/gateway\/io\/releases|\/node_modules\/fresh\//,
  ],
  ['routes', /\/gateway\/|\/scripts\/bench\//],
  ['store (polls)', /\/node_modules\/(@aws-sdk|@smithy|@aws-crypto)\/|\/infra\/store\//],
  ['http of Node', /^node:/],
];
/** Samples in which the program did nothing. */
const AT_REST = new Set(['(idle)']);
/** Work of the engine itself. */
const ENGINE = new Set(['(garbage collector)', '(program)', '(root)']);

/** The parts of a program by the time that they took, the slowest first. What has no file counts to its caller. */
export function groupProfile({ nodes, samples, timeDeltas }: CpuProfile): ProfiledPart[] {
  const parts = partsOf(nodes);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map<string, Map<string, number>>();
  samples.forEach((id, i) => {
    const { functionName: name = '', url = '' } = byId.get(id)?.callFrame ?? {};
    if (AT_REST.has(name)) return;
    const part = parts.get(id) ?? 'other';
    const functions = times.get(part) ?? new Map<string, number>();
    times.set(part, functions);
    const label = `${name === '' ? '(anonymous)' : name}${url === '' ? '' : ` ${shorten(url)}`}`;
    functions.set(label, (functions.get(label) ?? 0) + (timeDeltas[i] ?? 0));
  });
  return [...times]
    .map(([name, functions]) => {
      const sorted = [...functions].map(([each, selfUs]) => ({ name: each, selfUs }));
      sorted.sort((a, b) => b.selfUs - a.selfUs);
      return { name, selfUs: sorted.reduce((sum, { selfUs }) => sum + selfUs, 0), functions: sorted };
    })
    .sort((a, b) => b.selfUs - a.selfUs);
}

/** The part of each node, from the root of the tree down. */
function partsOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const visit = (node: ProfileNode, inherited: string): void => {
    const { functionName, url } = node.callFrame;
    const own = ENGINE.has(functionName)
      ? functionName.slice(1, -1)
      : (PARTS.find(([, file]) => file.test(url))?.[0] ?? (url === '' ? inherited : 'other'));
    parts.set(node.id, own);
    for (const child of node.children ?? []) {
      const next = byId.get(child);
      if (next !== undefined) visit(next, own);
    }
  };
  const [root] = nodes;
  if (root !== undefined) visit(root, 'other');
  return parts;
}

function shorten(url: string): string {
  return url.replace(/^.*\/(?:node_modules|dist)\//, '').replace(/^.*\//, '');
}
