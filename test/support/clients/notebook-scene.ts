import { LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { calendarPath, FILES_PATH, objectKey } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { startGatewayProcess, type GatewayProcess } from '../gateway/gateway-process.js';
import { startLoopbackServer, type LoopbackServer } from '../process/loopback-server.js';
import { startObjectHost, type ObjectHost } from '../s3/object-host.js';
import { digestOf, type ServedRelease } from '../gateway/served-release.js';
import { metricsCsv, sourcesJson, writeInput } from '../release/small-input.js';

/** A release with its gateway and the host of its files. */
export type NotebookScene = {
  readonly release: ServedRelease;
  readonly host: ObjectHost;
  readonly gateway: GatewayProcess;
  /** Answers a GET with the gateway's status and body, which may be damaged, and without its headers: it cannot redirect. */
  readonly proxy: LoopbackServer;
  /** Damages all files from the host and the proxy from now on. */
  readonly damage: (change: Damage) => void;
  readonly dispose: () => Promise<void>;
};

/** The columns of a calendar that the notebook counts. */
export type CalendarRow = {
  readonly date: string;
  readonly regime: string;
  readonly since: string;
  readonly status: string;
};

/** Changes a file in transit. */
export type Damage = (bytes: Uint8Array) => Uint8Array;

/** Starts a gateway on a release, a host of its files, and a proxy before the gateway. */
export async function startNotebookScene(release: ServedRelease): Promise<NotebookScene> {
  const host = await startObjectHost(release.store);
  const gateway = await startGatewayProcess({ ...release.env, CRD_PUBLIC_BASE_URL: host.endpoint });
  let damaged: Damage = (bytes) => bytes;
  const proxy = await startProxy(gateway.url, (bytes) => damaged(bytes));
  return {
    release,
    host,
    gateway,
    proxy,
    damage(change) {
      host.damage(change);
      damaged = change;
    },
    async dispose() {
      await Promise.all([gateway.stop(), host.dispose(), proxy.dispose()]);
    },
  };
}

function startProxy(gateway: string, change: Damage): Promise<LoopbackServer> {
  return startLoopbackServer(({ url = '', headers }, res) => {
    const key = headers['x-api-key'];
    const passed = typeof key === 'string' ? { 'X-API-Key': key } : {};
    fetch(`${gateway}${url}`, { headers: passed, redirect: 'manual' })
      .then(async (answer) => {
        const body = change(new Uint8Array(await answer.arrayBuffer()));
        res.writeHead(answer.status, { 'Content-Length': body.length }).end(body);
      })
      .catch((error: unknown) => res.writeHead(502).end(String(error)));
  });
}

/** Writes an input of one day, of three days, and of 240 days with missing rows and cells. */
export function writeIrregularInput(folder: string): Promise<string> {
  const rows = metricsCsv('base', 240).replace(/^2025-05-(0[3-9]|1\d),.*\n/gm, '');
  return writeInput(folder, {
    'bitcoin.csv': metricsCsv('bitcoin', 1),
    'arbitrum.csv': metricsCsv('arbitrum', 3),
    'base.csv': rows.replace(/^(2025-07-\d\d),.*$/gm, '$1,,,,'),
    'sources.json': sourcesJson(['bitcoin', 'arbitrum', 'base']),
  });
}

/** Returns the rows of a chain's calendar. */
export async function calendarOf({ release }: NotebookScene, chain: Chain): Promise<CalendarRow[]> {
  const object = await release.store.get(objectKey(await digestOf(release, calendarPath(chain))));
  const [header = '', ...lines] = Buffer.from(object?.bytes ?? [])
    .toString()
    .trim()
    .split('\n');
  const columns = header.split(',');
  return lines.map((line) => {
    const cell = (name: string): string => line.split(',')[columns.indexOf(name)] ?? '';
    return {
      date: cell('date'),
      regime: cell('regime'),
      since: cell('regime_since'),
      status: cell('status'),
    };
  });
}

/** Numbers of days and runs of a label. */
export type LabelCount = { readonly label: string; readonly days: string; readonly runs: string };

/** Returns the numbers of days and runs of each label. */
export function countsOf(rows: readonly CalendarRow[]): LabelCount[] {
  return Object.keys(LABEL_MEANINGS).map((label) => {
    const found = rows.filter(({ regime }) => regime === label);
    const runs = new Set(found.map(({ since }) => since));
    return { label, days: String(found.length), runs: String(runs.size) };
  });
}

/** Returns a change of calendars only. */
export function inCalendar(change: (text: string) => string): Damage {
  return inFiles(/^date,chain,/, change);
}

/** Returns a change of bundles only. */
export function inBundle(change: (text: string) => string): Damage {
  return inFiles(/"schema":"bundle\/1"/, change);
}

function inFiles(pattern: RegExp, change: (text: string) => string): Damage {
  return (bytes) => {
    const text = Buffer.from(bytes).toString();
    return pattern.test(text) ? Buffer.from(change(text)) : bytes;
  };
}

/** Starts a server that redirects requests of subscriber files to `files`, and all others to the gateway. */
export function startRedirector(gateway: string, files: string): Promise<LoopbackServer> {
  return startLoopbackServer(({ url = '' }, res) => {
    const origin = url.startsWith(FILES_PATH) ? files : gateway;
    res.writeHead(307, { Location: `${origin}${url}` }).end();
  });
}
