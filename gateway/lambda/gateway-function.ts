import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DestinationStream, Logger } from 'pino';
import { ENDPOINTS, withoutIndex } from '../../schemas/paths.js';
import { soldPrices } from '../core/billing/billing-settings.js';
import {
  secretsOf,
  toConfiguration,
  type Configuration,
  type Environment,
} from '../core/configuration/configuration.js';
import type { AccountFiles } from '../core/http/account-page.js';
import { createScrubber } from '../core/scrub.js';
import { startHttpServer } from '../http/http-server.js';
import { isRefusal } from '../io/billing/stripe/stripe-refusal.js';
import { createLogger } from '../io/operation/logger.js';
import { composeGateway, openStores } from '../service.js';
import { sendToLoopback, type LoopbackResponse, type LoopbackRequest } from './loopback.js';
import type { BillingPort } from '../io/billing/billing-port.js';
import { compileTrust, type TrustProxy } from '../http/trusted-proxies.js';
import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** Answers an event in the format of its source. */
type GatewayFunction = (event: GatewayEvent) => Promise<object>;

/**
 * Returns the gateway as a function. It starts the same server as `gateway serve` on loopback, and passes each event to
 * it. A function does not run between events, so it polls for a release before it answers, when a poll is due. Without
 * `accountFiles` it has no account page.
 * @throws Error with every fault of the configuration.
 */
export async function createGatewayFunction(
  env: Environment,
  logDestination: DestinationStream,
  accountFiles?: AccountFiles,
): Promise<GatewayFunction> {
  const configuration = readConfiguration(env);
  const scrub = createScrubber(secretsOf(configuration));
  const logger = createLogger({ destination: logDestination, level: configuration.logLevel, scrub });
  const billing = createBilling(configuration, logger);
  const gateway = await composeGateway(
    { ...configuration, trustProxy: trustLoopback(configuration.trustProxy) },
    await openStores(configuration),
    {
      logger,
      now: () => Date.now(),
      clock: () => performance.now(),
      newId: () => randomUUID(),
      random: (size) => randomBytes(size),
      fetch,
      ...(billing === undefined ? {} : { billing: billing.port }),
      ...(accountFiles === undefined ? {} : { accountFiles }),
    },
    () => configuration.publicBaseUrl ?? '',
  );
  await gateway.start();
  const trust = compileTrust(configuration.trustProxy);
  let polledMs = performance.now();
  const { url } = await startHttpServer(gateway.listener, { host: '127.0.0.1', port: 0 });
  return async (event) => {
    const received = toRequest(event);
    const request = trust(received.sourceIp, 0) ? received : withoutForwardedHost(received);
    if (performance.now() - polledMs >= configuration.pollSeconds * 1000) {
      await gateway.catchUp();
      polledMs = performance.now();
    }
    if (request.path === ENDPOINTS.webhook) await billing?.load();
    const response = await sendToLoopback(url, withForwardedFor(request)).catch((error: unknown) => {
      logger.error({ err: error }, 'cannot pass an event to the server');
      return emptyResponse(500);
    });
    await nextTurn(); // lets the server log the request: the function may be frozen as soon as it has answered
    return toResult(response);
  };
}

function readConfiguration(env: Environment): Configuration {
  const parsed = toConfiguration(env);
  if ('faults' in parsed) throw new Error(`The configuration is invalid: ${parsed.faults.join('; ')}`);
  return parsed.configuration;
}

function createBilling({ billing: settings }: Configuration, logger: Logger): LazyBilling | undefined {
  if (settings === undefined) return undefined;
  return createLazyBilling(async () => {
    const { createStripeBilling } = await import('../io/billing/stripe/stripe-billing.js');
    return createStripeBilling({
      ...settings,
      prices: soldPrices(settings),
      now: () => Date.now(),
      onError(err) {
        if (isRefusal(err)) logger.error({ err }, 'Stripe refused the request; run "gateway doctor"');
        else logger.warn({ err }, 'Stripe did not answer');
      },
    });
  });
}

function emptyResponse(status: number): LoopbackResponse {
  return { status, headers: [['cache-control', 'no-store']], body: Buffer.alloc(0) };
}

/** Access to Stripe that is loaded on first use: few requests need it, and it would slow down every start. */
type LazyBilling = {
  readonly port: BillingPort;
  /** Loads it. Call this before `verifyEvent`, which is synchronous. */
  readonly load: () => Promise<BillingPort>;
};

/** Returns billing that `open` loads. After a failure the next call loads again. */
export function createLazyBilling(open: () => Promise<BillingPort>): LazyBilling {
  let loading: Promise<BillingPort> | undefined;
  let loaded: BillingPort | undefined;
  const load = (): Promise<BillingPort> => {
    loading ??= open()
      .then((billing) => (loaded = billing))
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
  const port: BillingPort = {
    createCustomer: async (...options) => (await load()).createCustomer(...options),
    readCustomerAccount: async (...options) => (await load()).readCustomerAccount(...options),
    readCustomer: async (...options) => (await load()).readCustomer(...options),
    readChargeCustomer: async (...options) => (await load()).readChargeCustomer(...options),
    createCheckout: async (...options) => (await load()).createCheckout(...options),
    readCheckout: async (...options) => (await load()).readCheckout(...options),
    expireCheckout: async (...options) => (await load()).expireCheckout(...options),
    createPortal: async (...options) => (await load()).createPortal(...options),
    listSubscriptions: async function* () {
      yield* (await load()).listSubscriptions();
    },
    readPrice: async (...options) => (await load()).readPrice(...options),
    findMissingPermissions: async () => (await load()).findMissingPermissions(),
    listWebhooks: async () => (await load()).listWebhooks(),
    verifyEvent(body, signature) {
      if (loaded === undefined) throw new Error('call load before verifyEvent');
      return loaded.verifyEvent(body, signature);
    },
  };
  return { port, load };
}

/** Appends the address of the peer to `X-Forwarded-For`, as a proxy does. */
export function withForwardedFor(request: EventRequest): EventRequest {
  return { ...request, headers: [...request.headers, ['X-Forwarded-For', request.sourceIp]] };
}

/** Removes `X-Forwarded-Host`, which the server would believe because the function itself is its trusted peer. */
export function withoutForwardedHost(request: EventRequest): EventRequest {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== 'x-forwarded-host');
  return { ...request, headers };
}

/** Adds the function's own connection on loopback to the trusted proxies. */
export function trustLoopback(trustProxy: TrustProxy): TrustProxy {
  if (typeof trustProxy === 'number') return trustProxy + 1;
  return trustProxy === false ? 1 : [...trustProxy, 'loopback'];
}

/** An event of an HTTP API or a function URL (API Gateway's format 2.0). */
export type GatewayEvent = APIGatewayProxyEventV2;

/** A request as an event describes it. */
type EventRequest = LoopbackRequest & {
  /** Path without the query. */
  readonly path: string;
  /** Address of the peer that connected to AWS. */
  readonly sourceIp: string;
};

/** Reads the request from an event. */
export function toRequest({ rawPath, rawQueryString, headers, body, ...event }: GatewayEvent): EventRequest {
  const { method, sourceIp } = event.requestContext.http;
  // For a page that the bucket lacks, CloudFront sends the path of its copy, such as `/docs/index.html`.
  const path = withoutIndex(rawPath);
  return {
    method,
    path,
    target: toTarget(path, rawQueryString),
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
    body: body ? Buffer.from(body, event.isBase64Encoded ? 'base64' : 'utf8') : undefined,
    sourceIp,
  };
}

/** Escapes what AWS has decoded, so that a path stays a path. */
function toTarget(path: string, query: string): string {
  const escaped = path.replace(/[^!-~]|[?#]/gu, encodeURIComponent);
  return query === '' ? escaped : `${escaped}?${query.replace(/[^!-~]|#/gu, encodeURIComponent)}`;
}

/** Returns a response in the format of an HTTP API. */
export function toResult({ status, headers, body }: LoopbackResponse): object {
  const isText = isUtf8(body);
  const text = body.toString(isText ? 'utf8' : 'base64');
  return { statusCode: status, headers: Object.fromEntries(headers), body: text, isBase64Encoded: !isText };
}
