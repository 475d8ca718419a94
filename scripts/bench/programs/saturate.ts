/**
 * Sends requests as fast as the server answers, with autocannon. `node dist/scripts/bench/programs/saturate.js` reads
 * `SaturateOptions` from stdin and prints `SaturateResult`, both as JSON.
 */
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';

/** The requests. Each connection requests its share of the paths one after the other, repeatedly. */
export type SaturateOptions = {
  readonly url: string;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly extent: Extent;
};

/** Duration of the load, or number of its requests. */
export type Extent = { readonly seconds: number } | { readonly requests: number };

/** Number of responses by status, and the time that they took. */
export type SaturateResult = {
  readonly seconds: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly failures: number;
};

const CONNECTIONS = 20;

const { url, paths, headers, extent } = (await json(process.stdin)) as SaturateOptions; // from the bench
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
