import type { Command } from 'commander';
import { secretsOf } from '../core/configuration.js';
import { STRIPE_API_VERSION } from '../io/billing/stripe-billing.js';
import { readConfiguration } from '../io/environment.js';
import { examine, type Finding } from '../io/examine.js';
import type { ExitName } from '../core/exit-codes.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { formatTable } from './format-table.js';
import { example, exitCodeHelp } from './options.js';

/** Adds `doctor`: says in plain words what is wrong with what a gateway needs. */
export function addDoctor(program: Command, host: CommandHost): void {
  program
    .command('doctor')
    .description(
      'Check configuration, stores, clock, signer, identity provider and Stripe; say what is wrong. Change nothing.',
    )
    .option('--json', 'print exactly one JSON document on stdout')
    .addHelpText('after', exitCodeHelp())
    .addHelpText('after', '\nIt takes the environment of "gateway serve".')
    .addHelpText('after', example('gateway doctor'))
    .action((options: CommonOptions) => host.run(options, doctor));
}

async function doctor(context: CommandContext): Promise<ExitName> {
  const findings = await findAll(context);
  const isWell = findings.every(({ verdict }) => verdict !== 'fault');
  const rows = findings.map(({ what, verdict, says }) => [what, verdict, says]);
  context.show(
    { outcome: isWell ? 'well' : 'faults', findings },
    formatTable(['what', 'verdict', 'says'], rows),
  );
  return isWell ? 'done' : 'found';
}

async function findAll({ env, now, serving, hide }: CommandContext): Promise<Finding[]> {
  const judged = await readConfiguration(env);
  if ('faults' in judged) {
    return judged.faults.map((says) => ({ what: 'configuration', verdict: 'fault', says }));
  }
  const { configuration } = judged;
  hide(secretsOf(configuration));
  const findings: Finding[] = [];
  const { fetch, openBilling } = serving;
  for await (const finding of examine({
    configuration,
    fetch,
    now,
    openBilling: (settings, onError) => openBilling(settings, { now, onError }),
    apiVersion: STRIPE_API_VERSION,
  })) {
    findings.push(finding);
  }
  return findings;
}
