import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../infra/store/open-store.js';
import { manifestOf } from '../../generator/core/release/plan-types.js';
import { readArtifactJson } from '../../generator/state/stored-json.js';
import { calendarPath, publicKey } from '../../schemas/paths.js';
import type { Chain, MetaDay } from '../../schemas/types.generated.js';
import { readState } from './published-series.js';

/** A row of a published calendar. */
export type CalendarDay = { readonly regime: string; readonly confidence: number };

/** Reads the public regime calendar of a chain from a store's folder, in ascending order. */
export async function readCalendar(folder: string, chain: Chain): Promise<Map<string, CalendarDay>> {
  const text = await readFile(path.join(folder, publicKey(calendarPath(chain))), 'utf8');
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const columns = head.split(',');
  return new Map(
    lines.map((line) => {
      const cells = line.split(',');
      const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
      return [cell('date'), { regime: cell('regime'), confidence: Number(cell('confidence')) }];
    }),
  );
}

/** Reads the current meta record of a date. @throws Error if it is missing. */
export async function readMetaDay(folder: string, chain: Chain, date: string): Promise<MetaDay> {
  const store = await openStore(`file:${folder}`);
  const entry = manifestOf(await readState(store), 'meta', chain)?.dates.find((each) => each.date === date);
  if (entry === undefined) throw new Error(`${chain} has no meta record of ${date}`);
  return readArtifactJson(store, entry.sha256, 'meta-day');
}

/** Returns the modification time and size of every file below a folder. */
export async function readFileTimes(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const times = new Map<string, string>();
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    const { mtimeMs, size } = await stat(file);
    if (entry.isFile()) times.set(path.relative(folder, file), `${mtimeMs} ${size}`);
  }
  return times;
}
