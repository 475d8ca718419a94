import { randomBytes } from 'node:crypto';
import { runCli } from '../../../gateway/cli.js';
import type { OpenBilling } from '../../../gateway/commands/context.js';
import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';
import { EXIT_CODES } from '../../../gateway/core/exit-codes.js';
import type { ProgramRun } from '../process/run-program.js';

export type GatewayRun = ProgramRun;

/** Options for `runGateway`. */
export type GatewayRunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: string;
  /** Interrupts the command. */
  readonly stopped?: AbortSignal;
  /** Access to Stripe. */
  readonly billing?: BillingPort;
  /** Called with the options with which the command opens billing. */
  readonly onBilling?: (options: Parameters<OpenBilling>[1]) => void;
};

/** Runs a command of the gateway in this process. */
export async function runGateway(
  args: readonly string[],
  {
    env = {},
    now = '2026-08-20T12:00:00Z',
    stopped = new AbortController().signal,
    billing,
    onBilling = () => undefined,
  }: GatewayRunOptions = {},
): Promise<GatewayRun> {
  const out: string[] = [];
  const err: string[] = [];
  const exit = await runCli(args, {
    print: (text) => void out.push(`${text}\n`),
    warn: (text) => void err.push(`${text}\n`),
    now: () => Date.parse(now),
    random: (size) => randomBytes(size),
    env,
    stopped,
    serving: {
      clock: () => performance.now(),
      newId: () => 'id',
      fetch,
      readAccountFiles: () => Promise.resolve({ html: '', css: '', script: '', error: '', day: '' }),
      logDestination: { write: () => undefined },
      openBilling: (_settings, options) => {
        onBilling(options);
        if (billing === undefined) throw new Error('no billing was given to runGateway');
        return billing;
      },
    },
  });
  return { code: EXIT_CODES[exit].code, stdout: out.join(''), stderr: err.join('') };
}
