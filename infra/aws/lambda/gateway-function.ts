import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { setImmediate as untilLogged } from 'node:timers/promises';
import { configure } from '@codegenie/serverless-express';
import type { Context } from 'aws-lambda';
import type { DestinationStream, Logger } from 'pino';
import { WEBHOOK_PATH } from '../../../gateway/core/billing/judge-webhooks.js';
import { soldPrices } from '../../../gateway/core/billing/billing-settings.js';
import {
  secretsOf,
  toConfiguration,
  type Configuration,
  type Environment,
} from '../../../gateway/core/configuration.js';
import { createScrubber } from '../../../gateway/core/scrub.js';
import { createInlineIndexer } from '../../../gateway/io/inline-indexer.js';
import { createLogger } from '../../../gateway/io/logger.js';
import { composeGateway, openStores } from '../../../gateway/service.js';
import { toApplication } from './application.js';
import { headerOf, pathOf, refusalOf, withPageAddress, type GatewayEvent } from './events.js';
import { createLazyBilling, type LazyBilling } from './lazy-billing.js';
import { ORIGIN_HEADER, ORIGIN_VARIABLE } from './variables.js';

/** Answers an event in the form of its source. */
export type GatewayFunction = (event: GatewayEvent, context: Context) => Promise<unknown>;

/**
 * The gateway as a function: composed once, then asked event by event. Between two of them it does not run, so it looks
 * at what is published before it answers when the last look is as old as a poll.
 * @throws Error with every fault of the configuration.
 */
export async function createGatewayFunction(
  { [ORIGIN_VARIABLE]: originSecrets = '', ...env }: Environment,
  logDestination: DestinationStream,
): Promise<GatewayFunction> {
  const judged = toConfiguration(env);
  if ('faults' in judged) throw new Error(`the configuration has faults: ${judged.faults.join('; ')}`);
  const { configuration } = judged;
  const logger = toLogger(configuration, logDestination);
  const billing = toLazyBilling(configuration, logger);
  const gateway = await composeGateway(
    configuration,
    await openStores(configuration),
    {
      logger,
      now: () => Date.now(),
      clock: () => performance.now(),
      newId: () => randomUUID(),
      random: (size) => randomBytes(size),
      fetch,
      indexer: createInlineIndexer(), // one event at a time: nobody else waits
      ...(billing === undefined ? {} : { billing: billing.port }),
    },
    () => configuration.publicBaseUrl ?? '',
  );
  await gateway.start();
  let lookedMs = performance.now();
  const answer = configure({
    app: toApplication(gateway.app),
    log: toAdapterLog(logger),
    respondWithErrors: false,
  });
  const admits = createAdmission(originSecrets);
  return async (event, context) => {
    if (!admits(headerOf(event, ORIGIN_HEADER))) return refusalOf(event, 403);
    if (performance.now() - lookedMs >= configuration.pollSeconds * 1000) {
      await gateway.catchUp();
      lookedMs = performance.now();
    }
    if (pathOf(event) === WEBHOOK_PATH) await billing?.load();
    const answered: unknown = await answer(withPageAddress(event), context, () => undefined);
    await untilLogged(); // afterwards the function may be frozen
    return answered;
  };
}

function toLogger(configuration: Configuration, destination: DestinationStream): Logger {
  const scrub = createScrubber(secretsOf(configuration));
  return createLogger({ destination, level: configuration.logLevel, scrub });
}

function toLazyBilling({ billing: settings }: Configuration, logger: Logger): LazyBilling | undefined {
  if (settings === undefined) return undefined;
  return createLazyBilling(async () => {
    const { createStripeBilling, isRefusal } = await import('../../../gateway/io/billing/stripe-billing.js');
    return createStripeBilling({
      ...settings,
      prices: soldPrices(settings),
      now: () => Date.now(),
      onError(err) {
        if (isRefusal(err)) logger.error({ err }, 'Stripe refuses: see "gateway doctor"');
        else logger.warn({ err }, 'Stripe does not answer');
      },
    });
  });
}

/** Whether a text is one of the secrets, in a time that says nothing of them. Without secrets everybody is let in. */
function createAdmission(listed: string): (said: string | undefined) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const known = listed.split(',').filter(Boolean).map(digest);
  return (said = '') => {
    const found = digest(said);
    return known.length === 0 || known.filter((each) => timingSafeEqual(each, found)).length > 0;
  };
}

/** What the adapter has to tell; what it tells of requests is ours to log. */
function toAdapterLog(logger: Logger) {
  const nothing = (): void => undefined;
  return {
    ...{ debug: nothing, verbose: nothing, info: nothing, warn: nothing },
    error(message: string, err: unknown) {
      logger.error({ err }, message);
    },
  };
}
