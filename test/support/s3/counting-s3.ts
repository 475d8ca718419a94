import { once } from 'node:events';
import { request as sendRequest, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { startLoopbackServer } from '../process/loopback-server.js';

/** A request that was forwarded to S3, with the bytes of its answer. */
export type CountedRequest = {
  readonly url: string;
  readonly isSigned: boolean;
  readonly isList: boolean;
  readonly bytes: number;
};

/** A proxy before S3 that notes what is read. */
export type CountingS3 = {
  readonly endpoint: string;
  /** Sets what happens before a request is forwarded. `number` counts the reads of objects from 1. */
  readonly beforeRead: (happen: (number: number) => Promise<unknown>) => void;
  /** Sets what happens before a list is forwarded. `number` counts the lists from 1. */
  readonly beforeList: (happen: (number: number) => Promise<unknown>) => void;
  /** Returns the requests since the last call, and counts from 1 again. */
  readonly take: () => CountedRequest[];
  readonly dispose: () => Promise<void>;
};

const nothing = (): Promise<void> => Promise.resolve();

/** Starts a proxy on loopback. */
export async function startCountingS3(target: string): Promise<CountingS3> {
  const seen: CountedRequest[] = [];
  const numbers = { read: 0, list: 0 };
  let beforeRead: Parameters<CountingS3['beforeRead']>[0] = nothing;
  let beforeList: Parameters<CountingS3['beforeList']>[0] = nothing;
  const { hostname, port } = new URL(target);
  const server = await startLoopbackServer((req, res) => {
    const { method = '', url = '', headers } = req;
    const isList = url.includes('list-type=2');
    const happen = isList ? beforeList((numbers.list += 1)) : beforeRead((numbers.read += 1));
    const forward = async (): Promise<void> => {
      await happen;
      const request = sendRequest({ hostname, port, method, path: url, headers }).end();
      const [answer] = (await once(request, 'response')) as [IncomingMessage]; // the event's arguments
      const bytes = Number(answer.headers['content-length'] ?? 0);
      seen.push({ url, isList, bytes, isSigned: headers.authorization !== undefined });
      res.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      await pipeline(answer, res);
    };
    forward().catch(() => req.socket.destroy()); // the client has disconnected
  });
  return {
    ...server,
    beforeRead: (happen) => void (beforeRead = happen),
    beforeList: (happen) => void (beforeList = happen),
    take() {
      numbers.read = numbers.list = 0;
      return seen.splice(0);
    },
  };
}
