import { once } from 'node:events';
import type { Command } from 'commander';
import { StoreError } from '../../infra/store/object-store.js';
import { secretsOf, type Configuration } from '../core/configuration.js';
import { OperatorError } from '../core/exit-codes.js';
import { createScrubber } from '../core/scrub.js';
import { isRefusal } from '../io/billing/stripe-billing.js';
import { readConfiguration } from '../io/environment.js';
import { createLogger } from '../io/logger.js';
import { createThreadIndexer } from '../io/manifest-indexer.js';
import { openStores, startService } from '../service.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { example, exitCodeHelp } from './options.js';

/** Adds `serve`: answers requests until it is told to stop. */
export function addServe(program: Command, host: CommandHost): void {
  program
    .command('serve')
    .description('Serve the files to subscribers, until SIGTERM or SIGINT.')
    .addHelpText('after', exitCodeHelp())
    .addHelpText('after', '\nIt is configured by environment variables; README.md lists them.')
    .addHelpText(
      'after',
      example(
        'CRD_STORE=file:./data/store CRD_ACCOUNTS_STORE=file:./data/accounts CRD_LINK_SECRET_FILE=./secret gateway serve',
      ),
    )
    .action((options: CommonOptions) =>
      host.run(options, async (context) => {
        const judged = await readConfiguration(context.env);
        if ('faults' in judged) {
          throw new OperatorError('usage', `the configuration has faults:\n  ${judged.faults.join('\n  ')}`);
        }
        await serve(judged.configuration, context);
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
  const indexer = createThreadIndexer();
  const onError = (err: unknown): void => {
    if (isRefusal(err)) logger.error({ err }, 'Stripe refuses: see "gateway doctor"');
    else logger.warn({ err }, 'Stripe does not answer');
  };
  const billing = configuration.billing && serving.openBilling(configuration.billing, { now, onError });
  const common = { logger, now, random, clock, newId, indexer, fetch: serving.fetch };
  const terms = { ...common, ...(billing === undefined ? {} : { billing }) };
  const service = await openStores(configuration)
    .then((stores) => startService(configuration, stores, terms))
    .catch(async (error: unknown) => {
      await indexer.stop();
      throw error instanceof StoreError ? new StoreError(error.code, scrub(error.message)) : error;
    });
  context.warn(`serving on ${service.url}, for operators on ${service.operatorUrl}`);
  if (!signal.aborted) await once(signal, 'abort');
  await service.stop();
}

/** The names of buckets, which shall stand in no log either. */
function bucketsOf({ store, accountsStore }: Configuration): string[] {
  return [store, accountsStore].map(({ address }) => /^s3:\/\/([^/?]+)/.exec(address)?.[1] ?? '');
}
