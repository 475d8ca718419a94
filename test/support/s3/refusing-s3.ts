import { startLoopbackServer } from '../process/loopback-server.js';
import { errorDocument } from './fake-s3.js';

/** The response to every request: an S3 error document, or any other body. */
export type Refusal = {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A server that rejects every request. */
export type RefusingS3 = {
  readonly endpoint: string;
  /** Sets the response to all later requests. */
  readonly refuse: (refusal: Refusal) => void;
  /** Methods of the requests since the last `refuse`. */
  readonly asked: () => readonly string[];
  readonly dispose: () => Promise<void>;
};

export async function startRefusingS3(): Promise<RefusingS3> {
  let refusal: Refusal = { status: 500 };
  let asked: string[] = [];
  const server = await startLoopbackServer((req, res) => {
    asked.push(req.method ?? '');
    req.resume();
    const { status, code = '', message = '', headers, body = errorDocument(code, message) } = refusal;
    res.writeHead(status, { 'content-type': 'application/xml', ...headers });
    res.end(req.method === 'HEAD' ? undefined : body); // the response to a HEAD request has no body
  });
  return {
    ...server,
    refuse(next) {
      refusal = next;
      asked = [];
    },
    asked: () => asked,
  };
}
