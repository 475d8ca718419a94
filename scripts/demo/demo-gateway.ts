import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { MetricName } from '../../schemas/types.generated.js';
import { ACCOUNT_PATHS, bundlePath, calendarPath, dayPath, ENDPOINTS } from '../../schemas/paths.js';
import { startAccountSite } from './account-site.js';

/** The built gateway, relative to this file in dist/scripts/demo. */
const GATEWAY = path.join(import.meta.dirname, '../..', 'gateway', 'main.js');
/** End of the demo's grants. Grants must have one; the accounts are deleted when the demo ends. */
const LAST_DAY = '2999-12-31';
/** The built templates. */
const TEMPLATES = path.join(import.meta.dirname, '../..', 'templates');

/** A shell command to paste, and the pattern of its expected output. */
export type DemoLine = { readonly title: string; readonly line: string; readonly shows: RegExp };

/** The gateway of the demo, with an account on each plan, and an account page on which anyone can sign in and buy. */
export type DemoGateway = {
  readonly url: string;
  readonly accountUrl: string;
  readonly keys: { readonly research: string; readonly singleChain: string };
  readonly lines: readonly DemoLine[];
  readonly stop: () => Promise<void>;
};

/** Accounts of a gateway that does not run yet: its variables, and the keys. */
export type DemoAccounts = {
  readonly env: Readonly<Record<string, string>>;
  readonly keys: DemoGateway['keys'];
};

/** Options for `startDemoGateway`. */
type DemoGatewayOptions = {
  readonly accounts: DemoAccounts;
  readonly lastDate: string;
  /** A metric of Ethereum on the last date, which its last days must show. */
  readonly metric: MetricName;
  /** 0 means any free port. */
  readonly port: number;
};

/** Grants a plan to each of two accounts in a folder, with commands of the real gateway. The store may still be empty. */
export async function createDemoAccounts(store: string, folder: string): Promise<DemoAccounts> {
  const env = {
    CRD_STORE: store,
    CRD_ACCOUNTS_STORE: `file:${folder}`,
    CRD_KEY_MODE: 'test',
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_METRICS_PORT: '0',
    CRD_LOG_LEVEL: 'warn',
    CRD_RATE_ADDRESS_PER_MINUTE: '1000', // so that all public files can be verified at once
  };
  const grant = ['--until', LAST_DAY, '--reason', 'demo'];
  const singlePlan = ['--plan', 'single-chain', '--chain', 'base'];
  await run(env, 'grant', '--account', 'demo-research', '--plan', 'research', ...grant);
  await run(env, 'grant', '--account', 'demo-single-chain', ...singlePlan, ...grant);
  const keys = {
    research: await run(env, 'keys', 'create', '--account', 'demo-research'),
    singleChain: await run(env, 'keys', 'create', '--account', 'demo-single-chain'),
  };
  return { env, keys };
}

/** Starts the real gateway on a directory store, with an identity provider and a payment service in memory. */
export async function startDemoGateway(options: DemoGatewayOptions): Promise<DemoGateway> {
  const { env, keys } = options.accounts;
  const { url, accountUrl, stop } = await startAccountSite({ env, templates: TEMPLATES, port: options.port });
  return { url, accountUrl, keys, lines: listLines(url, keys, options), stop };
}

/** Runs a gateway command and returns its output. */
async function run(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [GATEWAY, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { out: '', err: '' };
  child.stdout.on('data', (piece: Buffer) => (output.out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (output.err += piece.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new Error(`gateway ${args.slice(0, 2).join(' ')} exited with ${code ?? 'a signal'}: ${output.err}`);
  return output.out.trim();
}

/** Returns six shell commands. curl sends `Authorization` to no other host. */
function listLines(
  url: string,
  { research, singleChain }: DemoGateway['keys'],
  { lastDate, metric }: DemoGatewayOptions,
): readonly DemoLine[] {
  const get = (key: string, of: string): string => `curl -s -H 'Authorization: Bearer ${key}' '${url}${of}'`;
  const follow = (key: string, of: string): string =>
    get(key, of).replace('curl -s', 'curl -sSL --fail-with-body');
  return [
    {
      title: 'The public regime calendar of Ethereum',
      line: `curl -s '${url}${calendarPath('ethereum')}' | tail -n 3`,
      shows: new RegExp(`^${lastDate},ethereum,`, 'm'),
    },
    {
      title: 'What the Research key can read',
      line: get(research, ENDPOINTS.entitlements),
      shows: /"plan":"research"/,
    },
    {
      title: 'The last 7 days of metrics, through a redirect',
      line: follow(research, bundlePath('gold', 'ethereum', '7d')),
      shows: new RegExp(`"${metric}":\\d`),
    },
    {
      title: 'One day from the archive',
      line: follow(research, dayPath('meta', 'ethereum', lastDate)),
      shows: new RegExp(`"date":"${lastDate}"`),
    },
    {
      title: 'A file that the Single Chain plan does not include',
      line: get(singleChain, bundlePath('gold', 'ethereum', '365d')),
      shows: /"code":"not-entitled"/,
    },
    {
      title: 'How the account page signs in',
      line: `curl -s '${url}${ACCOUNT_PATHS.settings}'`,
      shows: /"client_id":"account-page"/,
    },
  ];
}
