import { PUBLIC_PATHS } from '../../../../schemas/paths.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import {
  proveFiles,
  type ChosenFile,
  type Signed,
} from '../../../../templates/browser/verify/chosen-files.js';

const MANIFEST_PATH = '/api/v1/files/gold/base/manifest.json';
const DAY_PATH = '/api/v1/files/gold/base/2026-03-01.json';
const VOLUME_PATH = '/api/v1/files/gold/base/volumes/2026-02.csv';
const MANIFEST = JSON.stringify({
  dates: [
    {
      path: DAY_PATH,
      sha256: sha256Hex('day'),
      superseded: [{ sha256: sha256Hex('first day'), revision: '2026-03-02.000001' }],
    },
  ],
  volumes: [
    {
      csv: { path: VOLUME_PATH, sha256: sha256Hex('volume') },
      parquet: { path: VOLUME_PATH.replace('csv', 'parquet'), sha256: sha256Hex('parquet') },
    },
  ],
});
const SIGNED: Signed = {
  statement: {
    revision: '2026-03-04.000001',
    release_sha256: sha256Hex('list'),
    manifests: { [MANIFEST_PATH]: sha256Hex(MANIFEST) },
  },
  release: { files: [{ path: '/docs', sha256: sha256Hex('docs'), bytes: 4, type: 'text/html' }] },
};

const fileOf = (text: string): ChosenFile => ({
  name: 'file',
  sha256: sha256Hex(text),
  bytes: new TextEncoder().encode(text),
});

/** Returns the result for the first of these files. */
function resultOf(...texts: readonly string[]): string {
  const [result] = proveFiles(texts.map(fileOf), SIGNED);
  return `${result?.state ?? ''}: ${result?.words ?? ''}`;
}

it.each([
  ['a manifest of the statement', [MANIFEST], `${MANIFEST_PATH} of release 2026-03-04.000001.`],
  ['the list of public files', ['list'], `${PUBLIC_PATHS.release} of release 2026-03-04.000001.`],
  ['a public file', ['docs'], '/docs of release 2026-03-04.000001.'],
  ['a day file, with its manifest', ['day', MANIFEST], `${DAY_PATH}. ${MANIFEST_PATH} lists it.`],
  ['a volume, with its manifest', ['volume', MANIFEST], `${VOLUME_PATH}. ${MANIFEST_PATH} lists it.`],
  [
    'a superseded day file, with its manifest',
    ['first day', MANIFEST],
    `an earlier version of ${DAY_PATH}, of revision 2026-03-02.000001. ${MANIFEST_PATH} lists it.`,
  ],
])('proves %s', (_title, texts, words) => {
  expect(resultOf(...texts)).toBe(`proven: This is ${words}`);
});

it.each([
  ['a day file without its manifest', ['day'], 'choose its manifest too'],
  ['an altered day file', ['Day', MANIFEST], 'download it and its manifest again'],
  ['an altered manifest', [`${MANIFEST} `], 'in none of the signed lists'],
  ['a day file that only an altered manifest lists', ['day', `${MANIFEST} `], 'choose its manifest too'],
])('does not prove %s', (_title, texts, words) => {
  expect(resultOf(...texts)).toMatch(new RegExp(`^unproven: .*${words}`));
});
