import { addDays } from '../../../schemas/dates.js';
import { createGrowthepie } from '../../../generator/sources/growthepie/growthepie.js';
import type { Source } from '../../../generator/sources/source.js';
import { replyStatus, startFakeService, type FakeService, type Reply } from './fake-service.js';
import { createInstantTools, type InstantTools } from './instant-tools.js';

/** A row of an export. `value` is JSON text as growthepie writes it, such as `9.0` or `null`. */
export type ExportRow = {
  readonly key: string;
  readonly origin: string;
  readonly date: string;
  value: string;
};

/** A service with the shape of growthepie's API, and data for some days of March 2026. */
export type GrowthepieScene = {
  readonly service: FakeService;
  readonly tools: InstantTools;
  /** Rows of each export by its id. */
  readonly exports: Readonly<Record<string, ExportRow[]>>;
  /** Content of `master.json`. */
  readonly master: Record<string, unknown>;
  /** Sets the time of the last update one minute later. */
  readonly update: () => void;
  /** Answers a path in another way, such as `/v1/export/daa.json`. */
  readonly replace: (path: string, reply: Reply) => void;
  /** Returns the row of an export. */
  readonly row: (id: string, key: string, origin: string, date: string) => ExportRow;
  /** Creates a source for a new collection. */
  readonly create: () => Source;
};

export const FIRST = '2026-03-15';
export const LAST = '2026-03-26';

const KEYS: Readonly<Record<string, readonly string[]>> = {
  txcount: ['txcount'],
  daa: ['daa'],
  fees: ['fees_paid_usd', 'fees_paid_eth'],
  txcosts: ['txcosts_median_usd', 'txcosts_median_eth'],
  rent_paid: ['rent_paid_usd', 'rent_paid_eth'],
  throughput: ['gas_per_second'],
};
const ORIGINS = ['arbitrum', 'base', 'ethereum', 'optimism'];

/** Starts the service. The clock is at 06:15 UTC on the day after the last one. */
export async function startGrowthepieScene(): Promise<GrowthepieScene> {
  const service = await startFakeService();
  const tools = createInstantTools('2026-03-27T06:15:00Z');
  const exports = Object.fromEntries(Object.entries(KEYS).map(([id, keys]) => [id, rowsOf(keys)]));
  const master: Record<string, unknown> = {
    current_version: 'v1',
    last_updated_utc: '2026-03-27 05:30:09',
    chains: {},
    metrics: {},
  };
  let minute = 30;
  const replaced = new Map<string, Reply>();
  service.answer(({ url }) => {
    const rows = exports[/^\/v1\/export\/(\w+)\.json$/.exec(url)?.[1] ?? ''];
    if (url === '/v1/master.json') return replaced.get(url) ?? JSON.stringify(master);
    return replaced.get(url) ?? (rows ? toJson(rows) : replyStatus(404));
  });
  return {
    service,
    tools,
    exports,
    master,
    update() {
      minute += 1;
      master['last_updated_utc'] = `2026-03-27 05:${minute}:09`;
    },
    replace: (path, reply) => void replaced.set(path, reply),
    row(id, key, origin, date) {
      const found = exports[id]?.find(
        (each) => each.key === key && each.origin === origin && each.date === date,
      );
      if (found === undefined) throw new Error(`no row of ${id} ${key} ${origin} ${date}`);
      return found;
    },
    create: () => createGrowthepie({ endpoint: service.endpoint, tools }),
  };
}

/** Writes rows as growthepie does. */
export function toJson(rows: readonly ExportRow[]): string {
  const texts = rows.map(
    ({ key, origin, date, value }) =>
      `{"metric_key":"${key}","origin_key":"${origin}","date":"${date}","value":${value}}`,
  );
  return `[${texts.join(',')}]`;
}

function rowsOf(keys: readonly string[]): ExportRow[] {
  const rows: ExportRow[] = [];
  for (const key of keys) {
    for (const origin of ORIGINS) {
      for (let date = FIRST; date <= LAST; date = addDays(date, 1)) {
        rows.push({ key, origin, date, value: valueOf(key, origin, date) });
      }
    }
  }
  return rows;
}

/** Returns a number in the forms of growthepie: whole with `.0`, with many digits, or with an exponent. */
function valueOf(key: string, origin: string, date: string): string {
  const day = Number(date.slice(8));
  const scale = 1 + ORIGINS.indexOf(origin);
  if (key === 'txcount' || key === 'daa') return `${scale * 1_000_000 + day * 1_009}.0`;
  if (key === 'gas_per_second') return `${scale * 10 + day / 100}1234567`;
  return key.startsWith('txcosts')
    ? `${scale}.${day}5e-06`
    : `${scale * 10}.12345678901234${String(day).padStart(2, '0')}1`;
}
