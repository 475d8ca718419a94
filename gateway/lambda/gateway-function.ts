import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DestinationStream, Logger } from 'pino';
import { ENDPOINTS } from '../../schemas/paths.js';
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
import { createInlineIndexer } from '../io/releases/inline-indexer.js';
import { createLogger } from '../io/operation/logger.js';
import { composeGateway, openStores } from '../service.js';
import { toRequest, toResult, type GatewayEvent } from './events.js';
import { trustLoopback, withForwardedFor } from './forwarded-for.js';
import { createLazyBilling, type LazyBilling } from './lazy-billing.js';
import { sendToLoopback, type LoopbackResponse } from './loopback.js';

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
      indexer: createInlineIndexer(), // a function answers one event at a time, so a thread would not help
      ...(billing === undefined ? {} : { billing: billing.port }),
      ...(accountFiles === undefined ? {} : { accountFiles }),
    },
    () => configuration.publicBaseUrl ?? '',
  );
  await gateway.start();
  let polledMs = performance.now();
  const { url } = await startHttpServer(gateway.listener, { host: '127.0.0.1', port: 0 });
  return async (event) => {
    const request = toRequest(event);
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
    const { createStripeBilling, isRefusal } = await import('../io/billing/stripe/stripe-billing.js');
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
