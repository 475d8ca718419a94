import { connect } from 'node:net';

/** A request whose target, method, version and headers are sent exactly as written here. */
export type RawRequest = {
  readonly method?: string;
  /** Request target, between method and version. */
  readonly target: string;
  readonly version?: string;
  /** Header lines besides `Host`, `Connection: close`, and `Content-Length` if there is a body. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Value of the header `Host`; `null` omits it. */
  readonly host?: string | null;
  readonly body?: string | Uint8Array;
};

/** Sends a request that fetch would change or reject, and returns the response. */
export async function sendRaw(url: string, request: RawRequest): Promise<Response> {
  const { method = 'GET', target, version = 'HTTP/1.1', headers = [], body = '' } = request;
  const { host = new URL(url).host } = request;
  const lines = [
    `${method} ${target} ${version}`,
    ...(host === null ? [] : [`Host: ${host}`]),
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body.length === 0 ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  return parseAnswer(await sendBytes(url, Buffer.concat([head, Buffer.from(body)])));
}

/** Sends bytes on a new connection and returns everything received until it closes. */
export function sendBytes(url: string, bytes: Uint8Array | string): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const end = (): void => resolve(Buffer.concat(received));
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('end', () => socket.end());
    socket.on('close', end);
    socket.on('error', (error) => {
      if (received.length > 0)
        end(); // the server answers a request that is too large before it has read all of it
      else reject(error);
    });
  });
}

/** Parses a response. Keeps a body also if the request was HEAD. */
function parseAnswer(bytes: Buffer): Response {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (end < 0 || Number.isNaN(status)) throw new Error(`not an HTTP answer: ${JSON.stringify(text)}`);
  const headers = new Headers();
  for (const line of lines)
    headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1));
  const body = bytes.subarray(end + 4);
  return new Response(body.length === 0 ? null : body, { status, headers });
}
