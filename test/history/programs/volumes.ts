/** Publishes the real history, and prints how many cells of its volumes were compared with the day files, and the differences. */
import { VOLUME_GENRES } from '../../../schemas/catalog.js';
import { daySchemaOf } from '../../../generator/core/verification/check-files.js';
import { manifestOf } from '../../../generator/core/release/plan-types.js';
import type { DayRecord } from '../../../generator/core/records/day-writers.js';
import { readArtifactJson } from '../../../generator/state/stored-json.js';
import { flattenRecord, type Cells } from '../../support/release/flat-record.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { readVolume } from '../../support/release/read-volume.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { AS_OF, readHistory } from '../history-data.js';
import { readState } from '../published-series.js';

/** The columns of every volume that a record lacks. */
const PROVENANCE = new Set(['status', 'backfilled', 'in_force_from', 'in_force_until']);

const inputs = await readHistory();
const store = createMemoryStore();
await publishSeries(store, { inputs, asOf: AS_OF });
const state = await readState(store);
const compared = { volumes: 0, rows: 0, values: 0 };
const differences: string[] = [];

function compare(row: Cells, record: DayRecord): void {
  const expected = flattenRecord(record);
  for (const name of new Set([...Object.keys(row), ...Object.keys(expected)])) {
    const value = row[name] ?? null;
    if (value !== null) compared.values += 1;
    if (value === (expected[name] ?? null) || (PROVENANCE.has(name) && !(name in expected))) continue;
    differences.push(`${record.schema} ${record.chain} ${record.date} ${name}: ${value}, ${expected[name]}`);
  }
}

for (const { chain } of inputs) {
  for (const genre of VOLUME_GENRES) {
    const { dates = [], volumes = [] } = manifestOf(state, genre, chain) ?? {};
    const entries = new Map(dates.map((entry) => [entry.date, entry]));
    for (const volume of volumes) {
      const rows = await readVolume(store, volume);
      compared.volumes += 1;
      compared.rows += rows.length;
      for (const row of rows) {
        const sha256 = entries.get(String(row['date']))?.sha256 ?? '';
        compare(row, await readArtifactJson(store, sha256, daySchemaOf(genre))); // of this genre
      }
    }
  }
}

process.stdout.write(JSON.stringify({ compared, differences: differences.slice(0, 20) }));
