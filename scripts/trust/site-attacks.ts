import {
  PAGE_PATHS,
  calendarPath,
  dayPath,
  manifestPath,
  PUBLIC_PATHS,
  queryPath,
  TRUST_PATHS,
  volumePath,
} from '../../schemas/paths.js';
import { flipText, replace, type AttackPlan } from './attack-table.js';
import type { StatesByName } from './forged-documents.js';
import { listAttacks, namingAttacks } from './other-lists.js';

const CALENDAR = calendarPath('bitcoin');
const SQL = queryPath('bitcoin');
const MANIFEST = manifestPath('meta', 'bitcoin');
const DAY = dayPath('meta', 'bitcoin', '2026-03-01');
const OTHER_DAY = dayPath('meta', 'bitcoin', '2026-03-02');
const VOLUME = volumePath('meta', 'bitcoin', '2026-02', 'csv');

/** Files that are missing, or are those of another release. */
const OTHER_FILES: readonly AttackPlan[] = [
  { name: 'a file is empty', changes: [{ put: SQL, text: '' }], fault: 'file-altered' },
  { name: 'a file is missing', changes: [{ delete: CALENDAR }], fault: 'file-missing' },
  { name: 'a page is missing', changes: [{ delete: PAGE_PATHS.docs }], fault: 'file-missing' },
  {
    name: 'the list of files is missing',
    changes: [{ delete: PUBLIC_PATHS.release }],
    fault: 'file-missing',
  },
  {
    name: 'a file is that of an older release',
    changes: [replace(CALENDAR, 'release-2')],
    fault: 'file-altered',
  },
  {
    name: 'two releases are mixed: a file names a later release',
    base: 'release-2',
    changes: [replace(PUBLIC_PATHS.status, 'release-3')],
    fault: 'mixed',
  },
  {
    name: 'two releases are mixed: an altered file comes first, another one names a later release',
    base: 'release-2',
    changes: [replace(CALENDAR, 'release-3'), replace(PUBLIC_PATHS.status, 'release-3')],
    fault: 'mixed',
  },
  {
    name: 'two releases are mixed: the list of files is that of an older release',
    changes: [replace(PUBLIC_PATHS.release, 'release-2')],
    fault: 'mixed',
  },
  {
    name: 'two releases are mixed: the list of files is that of a later release',
    base: 'release-2',
    changes: [replace(PUBLIC_PATHS.release, 'release-3')],
    fault: 'mixed',
  },
  {
    name: 'two releases are mixed: the statement is that of a later release',
    base: 'release-2',
    changes: [replace(TRUST_PATHS.statement, 'release-3')],
    fault: 'mixed',
  },
];

/** Several faults at once: the lists of steps 4 and 5 come before files, and files in the order of their list. */
const SEVERAL: readonly AttackPlan[] = [
  ...[PUBLIC_PATHS.release, TRUST_PATHS.releases].map((path): AttackPlan => ({
    name: `${path} is altered, and a file names a later release`,
    base: 'release-2',
    changes: [{ put: path, text: '{}' }, replace(PUBLIC_PATHS.status, 'release-3')],
    fault: 'file-altered',
  })),
  {
    name: 'a file is missing, and a later one in the list is altered',
    changes: [{ delete: CALENDAR }, { put: SQL, text: '' }],
    fault: 'file-missing',
  },
  {
    name: 'a file is altered, and a later one in the list is missing',
    changes: [{ put: CALENDAR, text: '' }, { delete: SQL }],
    fault: 'file-altered',
  },
];

/** Returns the attacks on files: altered, exchanged, missing, mixed. */
export function fileAttacks(stateOf: StatesByName): AttackPlan[] {
  const site = stateOf('release-3');
  return [
    {
      name: 'a byte of a data file is altered',
      changes: [flipText(CALENDAR, site, 'slack')],
      fault: 'file-altered',
    },
    { name: 'a byte of a page is altered', changes: [flipText('/', site, 'Bitcoin')], fault: 'file-altered' },
    {
      name: 'a byte of a picture is altered',
      changes: [{ 'flip-byte': '/card.png', at: 40 }],
      fault: 'file-altered',
    },
    {
      name: 'a byte of the list of files is altered',
      changes: [flipText(PUBLIC_PATHS.release, site, 'bytes')],
      fault: 'file-altered',
    },
    {
      name: 'two files are swapped',
      changes: [replace(CALENDAR, 'release-3', SQL), replace(SQL, 'release-3', CALENDAR)],
      fault: 'file-altered',
    },
    ...OTHER_FILES,
    ...SEVERAL,
    ...namingAttacks(),
    ...listAttacks(String(site.files.get(PUBLIC_PATHS.release))),
  ];
}

/** Returns the attacks on files that only a subscriber reads. */
export function subscriberAttacks(stateOf: StatesByName): AttackPlan[] {
  const site = stateOf('release-3');
  const plans: AttackPlan[] = [
    {
      name: 'a byte of a manifest is altered',
      changes: [flipText(MANIFEST, site, 'available')],
      fault: 'file-altered',
    },
    {
      name: 'a byte of a day file is altered',
      changes: [flipText(DAY, site, 'slack')],
      fault: 'file-altered',
    },
    {
      name: 'a byte of a volume is altered',
      changes: [flipText(VOLUME, site, 'slack')],
      fault: 'file-altered',
    },
    {
      name: 'two day files are swapped',
      changes: [replace(DAY, 'release-3', OTHER_DAY), replace(OTHER_DAY, 'release-3', DAY)],
      fault: 'file-altered',
    },
    { name: 'a day file is missing', changes: [{ delete: DAY }], fault: 'file-missing' },
    { name: 'a manifest is missing', changes: [{ delete: MANIFEST }], fault: 'file-missing' },
    {
      name: 'a manifest is that of an older release',
      changes: [replace(MANIFEST, 'release-2')],
      fault: 'file-altered',
    },
    {
      name: 'two releases are mixed: a manifest names a later release',
      base: 'release-2',
      changes: [replace(MANIFEST, 'release-3')],
      fault: 'mixed',
    },
  ];
  return plans.map((plan) => ({ ...plan, reader: 'subscriber' }));
}
