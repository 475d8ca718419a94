import { createAuthentication } from '../../../gateway/http/authentication.js';
import { startHttpServer } from '../../../gateway/http/http-server.js';
import type { TrustProxy } from '../../../gateway/http/trusted-proxies.js';
import {
  toRequest,
  trustLoopback,
  withForwardedFor,
  withoutForwardedHost,
} from '../../../gateway/lambda/gateway-function.js';
import { sendToLoopback } from '../../../gateway/lambda/loopback.js';
import { createFakeAccounts } from '../../support/gateway/fake-accounts.js';
import { readEvent } from '../../support/aws/lambda-process.js';

const CLOUDFRONT = '64.252.86.143';
const VIEWER = '203.0.113.7';

/** Returns the address under which the gateway counts a request that came as an event. */
async function countedAddress(trustProxy: TrustProxy): Promise<string> {
  let counted = '';
  const result = { allowed: true, limit: 1, remaining: 1, resetSeconds: 1 };
  const authentication = createAuthentication({
    authenticator: createFakeAccounts(() => 0).authenticator,
    limits: {
      consumeKey: () => result,
      consumeAccount: () => result,
      consumeAddress(group) {
        counted = group;
        return result;
      },
      refundAddress: () => undefined,
    },
    sessions: undefined,
    onUse: () => undefined,
    trustProxy: trustLoopback(trustProxy),
    onUntrustedProxy: () => undefined,
  });
  const server = await startHttpServer(
    (req, res) => {
      authentication.limitAddress(req, res);
      res.end();
    },
    { host: '127.0.0.1', port: 0 },
  );
  const event = (await readEvent('http-api.json')) as unknown as Parameters<typeof toRequest>[0]; // in the documented format
  const forwarded = `198.51.100.1, ${VIEWER}, ${CLOUDFRONT}`; // the first was sent by the viewer
  const headers = [['x-forwarded-for', forwarded]] as const;
  await sendToLoopback(server.url, withForwardedFor({ ...toRequest(event), headers }));
  await server.stop(0);
  return counted;
}

it.each<[TrustProxy, string]>([
  [false, CLOUDFRONT],
  [0, CLOUDFRONT],
  [1, CLOUDFRONT],
  [2, VIEWER],
  [[CLOUDFRONT], VIEWER],
  [['192.0.2.1'], CLOUDFRONT],
])('counts an event for the address behind the trusted proxies %j: %s', async (trustProxy, address) => {
  expect(await countedAddress(trustProxy)).toBe(address);
});

it('removes a host that a stranger forwards, and keeps all other headers', async () => {
  const event = (await readEvent('http-api.json')) as unknown as Parameters<typeof toRequest>[0]; // in the documented format
  const headers = [
    ['X-Forwarded-Host', 'data.example.com'],
    ['host', 'api.example.com'],
  ] as const;
  expect(withoutForwardedHost({ ...toRequest(event), headers }).headers).toEqual([headers[1]]);
});
