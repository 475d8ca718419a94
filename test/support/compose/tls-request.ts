import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';

/** A response to `requestTls`. */
export type TlsAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Options for `requestTls`. */
export type TlsRequest = {
  /** Certificate of the authority that is trusted, and no other. */
  readonly ca: string;
  /** Port of this machine that stands for the one in the URL. */
  readonly port: number;
  /** Address of this machine that the request comes from. */
  readonly from?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
};

/** Requests a URL over TLS from a server on this machine. It does not follow redirects. */
export async function requestTls(
  url: string,
  { ca, port, from = '127.0.0.1', method = 'GET', headers = {}, body }: TlsRequest,
): Promise<TlsAnswer> {
  const { hostname, pathname, search } = new URL(url);
  const sent = request({
    ...{
      host: '127.0.0.1',
      port,
      localAddress: from,
      servername: hostname,
      path: pathname + search,
      ca,
      method,
      agent: false,
    },
    headers: { Host: hostname, ...headers },
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer); // no encoding is set
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
}
