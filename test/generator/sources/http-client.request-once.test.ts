import { requestOnce } from '../../../generator/sources/http-client.js';
import { withFakeTimers } from '../../support/jest/fake-timers.js';
import { createInstantTools } from '../../support/sources/instant-tools.js';

describe('one request', () => {
  it('takes as long as bytes keep arriving, up to its whole time', () =>
    withFakeTimers(async (advance) => {
      const pieces = ['[', '1', ',', '2', ']'];
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            await advance(50);
            const piece = pieces.shift();
            if (piece === undefined) controller.close();
            else controller.enqueue(Buffer.from(piece));
          },
        },
        { highWaterMark: 0 },
      );
      let isAborted = false;
      const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
        init?.signal?.addEventListener('abort', () => void (isAborted = true));
        await advance(50);
        return new Response(body);
      };
      const attempt = await requestOnce(
        {
          url: new URL('https://api.example.com/'),
          userAgent: 'test',
          maxBytes: 10,
          limits: { firstByteMs: 60, idleMs: 60, totalMs: 1000 },
          tools: { ...createInstantTools('2026-03-27T06:15:00Z'), fetch },
        },
        new AbortController().signal,
      );
      expect(attempt).toEqual({ kind: 'answered', bytes: Buffer.from('[1,2]') });
      expect(isAborted).toBe(false);
    }));
});
