import { startLoopbackServer } from '../process/loopback-server.js';

/** A response of a fake server; a HEAD request gets only the status and the headers. */
export type FakeAnswer = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

export type FakeRequest = {
  /** Position in the order of arrival, from 1. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[] | undefined>;
};

/** A server with scripted responses. It never answers a request whose scripted response is `undefined`. */
export type FakeS3 = {
  readonly endpoint: string;
  readonly seen: readonly FakeRequest[];
  readonly dispose: () => Promise<void>;
};

export async function startFakeS3(answer: (request: FakeRequest) => FakeAnswer | undefined): Promise<FakeS3> {
  const seen: FakeRequest[] = [];
  const server = await startLoopbackServer((req, res) => {
    const { method = '', url = '', headers } = req;
    const request = { number: seen.length + 1, method, url, headers };
    seen.push(request);
    req.resume().once('end', () => {
      const answered = answer(request);
      if (answered === undefined) return;
      res.writeHead(answered.status, { 'content-type': 'application/xml', ...answered.headers });
      res.end(answered.body);
    });
  });
  return { ...server, seen };
}

/** Returns an S3 error response. `more` contains additional elements of its document. */
export function s3Error(status: number, code: string, message: string, more = ''): FakeAnswer {
  return { status, body: errorDocument(code, message, more) };
}

/** Returns an S3 error document. `more` contains additional elements. */
export function errorDocument(code: string, message: string, more = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>${more}<RequestId>4442587FB7D0A2F9</RequestId><HostId>none</HostId></Error>`;
}
