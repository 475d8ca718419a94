import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { siteFiles } from '../../../generator/core/draft/site.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { PAGE_PATHS } from '../../../schemas/paths.js';
import { isAssetPath } from '../../../schemas/release-paths.js';
import type { VectorSite } from './vector-site.js';

/** How a host answers a request for a file of its site. */
export type HostAnswer = {
  readonly status: number;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A host on this machine with the page that verifies it. */
export type VectorHost = {
  readonly url: string;
  /** Serves the files of another site. */
  readonly serve: (site: VectorSite) => void;
  /** Serves what a function returns. `isFresh`: the request asks caches to revalidate. */
  readonly answer: (to: (urlPath: string, isFresh: boolean) => HostAnswer) => void;
  readonly stop: () => Promise<void>;
};

/** Returns whether a file belongs to the page. No vector has one. */
const isOwn = (path: string): boolean =>
  path === PAGE_PATHS.verify || path === PAGE_PATHS.icon || isAssetPath(path);
const STAMP = { revision: '2026-03-04.000001', sequence: 3, publishedAt: '2026-03-04T06:00:00Z' };

/** Starts a host that serves nothing yet but the page that verifies it. */
export async function startVectorHost(): Promise<VectorHost> {
  const own = new Map(
    siteFiles(await readProductTexts())
      .filter(({ path }) => isOwn(path))
      .map(({ path, type, content }) => [path, { type, text: content(STAMP).text }]),
  );
  let answerTo: (urlPath: string, isFresh: boolean) => HostAnswer = () => ({ status: 404 });
  const respond = ({ url: urlPath = '', headers }: IncomingMessage, response: ServerResponse): void => {
    const file = own.get(urlPath);
    if (file !== undefined) {
      response.writeHead(200, { 'Content-Type': file.type }).end(file.text);
      return;
    }
    const { status, bytes, headers: special } = answerTo(urlPath, headers['cache-control'] === 'no-cache');
    response.writeHead(status, { 'Cache-Control': 'public, max-age=300', ...special }).end(bytes);
  };
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens to TCP
  return {
    url: `http://127.0.0.1:${port}`,
    serve(site) {
      answerTo = (urlPath) => {
        const bytes = site.get(urlPath);
        return bytes === undefined ? { status: 404 } : { status: 200, bytes };
      };
    },
    answer: (to) => void (answerTo = to),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
