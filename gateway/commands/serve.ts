import { once } from 'node:events';
import type { Command } from 'commander';
import { addCommand } from '../../infra/process/command-line.js';
import { secretsOf, type Configuration } from '../core/configuration/configuration.js';
import { createScrubber } from '../core/scrub.js';
import { isRefusal } from '../io/billing/stripe/stripe-refusal.js';
import { createLogger } from '../io/operation/logger.js';
import { openStores, startService } from '../service.js';
import { requireConfiguration } from './configuration.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';

/** Adds `serve`, which answers requests until it is interrupted. */
export function addServe(program: Command, host: CommandHost): void {
  addCommand(program, {
    name: 'serve',
    description: 'Serve files to subscribers until SIGTERM or SIGINT.',
    options: [],
    note: 'Configure it with the environment variables that gateway/README.md lists.',
    example:
      'CRD_STORE=file:./data/store CRD_ACCOUNTS_STORE=file:./data/accounts CRD_LINK_SECRET_FILE=./secret gateway serve',
  }).action((options: CommonOptions) =>
    host.run(options, async (context) => {
      await serve(await requireConfiguration(context), context);
      return 'done';
    }),
  );
}

async function serve(configuration: Configuration, context: CommandContext): Promise<void> {
  const { now, random, signal, serving } = context;
  const { clock, newId, logDestination: destination } = serving;
  const hidden = [...secretsOf(configuration), ...bucketsOf(configuration)];
  context.hide(hidden);
  const scrub = createScrubber(hidden);
  const logger = createLogger({ destination, level: configuration.logLevel, scrub });
  const onError = (err: unknown): void => {
    if (isRefusal(err)) logger.error({ err }, 'Stripe refused the request; run "gateway doctor"');
    else logger.warn({ err }, 'Stripe did not answer');
  };
  const billing =
    configuration.billing && (await serving.openBilling(configuration.billing, { now, onError }));
  const accountFiles = await serving.readAccountFiles();
  const common = { logger, now, random, clock, newId, fetch: serving.fetch, accountFiles };
  const options = { ...common, ...(billing === undefined ? {} : { billing }) };
  const service = await startService(configuration, await openStores(configuration), options);
  context.warn(`serving on ${service.url}, for operators on ${service.operatorUrl}`);
  if (!signal.aborted) await once(signal, 'abort');
  await service.stop();
}

/** Returns the names of the buckets, which must not appear in logs. */
function bucketsOf({ store, accountsStore }: Configuration): string[] {
  return [store, accountsStore].map(({ address }) => /^s3:\/\/([^/?]+)/.exec(address)?.[1] ?? '');
}
