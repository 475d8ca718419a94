import { calendarPath, objectKey } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { startGatewayProcess, type GatewayProcess } from '../gateway/gateway-process.js';
import { startObjectHost, type ObjectHost } from '../s3/object-host.js';
import { digestOf, type ServedRelease } from '../gateway/served-release.js';
import { metricsCsv, sourcesJson, writeInput } from '../release/small-input.js';

/** A release with its gateway and the host of its files. */
export type NotebookScene = {
  readonly release: ServedRelease;
  readonly host: ObjectHost;
  readonly gateway: GatewayProcess;
  readonly dispose: () => Promise<void>;
};

/** The columns of a calendar that the notebook uses. */
export type CalendarRow = {
  readonly date: string;
  readonly regime: string;
  readonly since: string;
  readonly status: string;
  readonly costScore: string;
};

/** Starts a gateway on a release, and a host of its files. */
export async function startNotebookScene(release: ServedRelease): Promise<NotebookScene> {
  const host = await startObjectHost(release.store);
  const gateway = await startGatewayProcess({ ...release.env, CRD_PUBLIC_BASE_URL: host.endpoint });
  return {
    release,
    host,
    gateway,
    async dispose() {
      await Promise.all([gateway.stop(), host.dispose()]);
    },
  };
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
      costScore: cell('cost_score'),
    };
  });
}

/** A run of a label: its first date, its length, and the label of the run after it. */
export type LabelRun = {
  readonly since: string;
  readonly regime: string;
  readonly days: number;
  readonly next: string | undefined;
};

/** Returns the runs of a calendar. */
export function runsOf(rows: readonly CalendarRow[]): LabelRun[] {
  const starts = rows.filter(({ date, since }) => date === since);
  return starts.map(({ since, regime }, i) => ({
    since,
    regime,
    days: rows.filter((row) => row.since === since).length,
    next: starts[i + 1]?.regime,
  }));
}
