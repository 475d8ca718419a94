import type { Command } from 'commander';
import { addCommand } from '../../infra/process/command-line.js';
import { formatTable } from '../../infra/process/format-table.js';
import { secretsOf } from '../core/configuration/configuration.js';
import { STRIPE_API_VERSION } from '../io/billing/stripe/stripe-refusal.js';
import { readConfiguration } from '../io/configuration/environment.js';
import { examine, type Finding } from '../io/doctor/examine.js';
import type { ExitName } from '../core/exit-codes.js';
import type { CommandContext, CommandHost, CommonOptions } from './context.js';
import { jsonOption } from './options.js';

/** Adds `doctor`, which checks everything that a gateway depends on and explains what is wrong. */
export function addDoctor(program: Command, host: CommandHost): void {
  addCommand(program, {
    name: 'doctor',
    description:
      'Check configuration, stores, clock, signer, links, identity provider and Stripe. Change no data.',
    options: [jsonOption()],
    note: 'It reads the same environment variables as "gateway serve".',
    example: 'gateway doctor',
  }).action((options: CommonOptions) => host.run(options, doctor));
}

async function doctor(context: CommandContext): Promise<ExitName> {
  const findings = await findAll(context);
  const isHealthy = findings.every(({ verdict }) => verdict !== 'fault');
  const rows = findings.map(({ what, verdict, says }) => [what, context.paint(verdict), says]);
  context.show(
    { outcome: isHealthy ? 'well' : 'faults', findings },
    formatTable(['what', 'verdict', 'says'], rows),
  );
  return isHealthy ? 'done' : 'found';
}

async function findAll({ env, now, serving, hide }: CommandContext): Promise<Finding[]> {
  const parsed = await readConfiguration(env);
  if ('faults' in parsed) {
    return parsed.faults.map((says) => ({ what: 'configuration', verdict: 'fault', says }));
  }
  const { configuration } = parsed;
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
