/**
 * Asks a server as fast as it answers, with autocannon. `node dist/scripts/bench/gateway-saturate.js` reads one JSON
 * document of `SaturateTerms` from stdin and prints one of `SaturateResult`.
 */
import { json } from 'node:stream/consumers';
import autocannon from 'autocannon';

/** What to ask; paths come one after another, no two connections begin with the same. */
export type SaturateTerms = {
  readonly url: string;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly extent: Extent;
};

/** How long to ask, or how often. */
export type Extent = { readonly seconds: number } | { readonly requests: number };

/** How many answers of each status came in how much time. */
export type SaturateResult = {
  readonly seconds: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly failures: number;
};

const CONNECTIONS = 20;

const { url, paths, headers, extent } = (await json(process.stdin)) as SaturateTerms; // what the bench passes
let connection = 0;
const result = await autocannon({
  url,
  headers,
  connections: CONNECTIONS,
  ...('seconds' in extent ? { duration: extent.seconds } : { amount: extent.requests }),
  setupClient(client) {
    const own = paths.filter((_path, i) => paths.length < CONNECTIONS || i % CONNECTIONS === connection);
    connection += 1;
    client.setRequests(own.map((path) => ({ path })));
  },
});
const { statusCodeStats = {}, duration: seconds, errors: failures } = result;
const answers = Object.fromEntries(
  Object.entries(statusCodeStats).map(([status, { count = 0 }]) => [status, count]),
);
process.stdout.write(`${JSON.stringify({ seconds, answers, failures } satisfies SaturateResult)}\n`);
