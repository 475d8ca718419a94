import { zipSync } from 'fflate';
import { sha256Bytes } from '../../../schemas/digest.js';

/** The texts that the wheel of the Python client is made from. */
export type PythonClient = {
  /** Core metadata with the name and the version, without the description. */
  readonly metadata: string;
  /** The description, in Markdown. */
  readonly readme: string;
  readonly licence: string;
  /** The files of the package by path, such as `crd/cache.py`. */
  readonly sources: Readonly<Record<string, string>>;
};

/** A wheel: its file name, its bytes, and the list of its files with their digests. */
export type Wheel = { readonly name: string; readonly bytes: Uint8Array; readonly record: string };

const WHEEL =
  'Wheel-Version: 1.0\nGenerator: chain-reference-data\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
const ENTRY_POINTS = '[console_scripts]\ncrd = crd.cli:main\n';

/** The first moment that a zip can state, in local time, which is what a zip contains. */
const EPOCH = '1980-01-01T00:00:00';
/** Plain files that everyone can read (`-rw-r--r--`), as Unix states it in the external attributes. */
const UNIX = 3;
const ATTRIBUTES = 0o100644 * 2 ** 16;

/**
 * Makes the wheel of the Python client. Its bytes depend only on the texts: files are stored without compression, in
 * order and with a fixed time. Source: Binary distribution format, packaging.python.org.
 * @throws Error if the metadata has no name or version.
 */
export function makeWheel({ metadata, readme, licence, sources }: PythonClient): Wheel {
  const distribution = `${fieldOf(metadata, 'Name').replaceAll('-', '_')}-${fieldOf(metadata, 'Version')}`;
  const info = `${distribution}.dist-info`;
  const files = {
    ...Object.fromEntries(Object.entries(sources).sort(([one], [other]) => (one < other ? -1 : 1))),
    [`${info}/METADATA`]: `${metadata}\n${readme}`,
    [`${info}/WHEEL`]: WHEEL,
    [`${info}/entry_points.txt`]: ENTRY_POINTS,
    [`${info}/licenses/LICENSE`]: licence,
  };
  const lines = Object.entries(files).map(
    ([path, text]) => `${path},sha256=${digestOf(text)},${sizeOf(text)}`,
  );
  const record = [...lines, `${info}/RECORD,,`, ''].join('\n');
  const members = Object.entries({ ...files, [`${info}/RECORD`]: record });
  const bytes = zipSync(Object.fromEntries(members.map(([path, text]) => [path, Buffer.from(text)])), {
    level: 0,
    mtime: EPOCH,
    os: UNIX,
    attrs: ATTRIBUTES,
  });
  return { name: `${distribution}-py3-none-any.whl`, bytes, record };
}

function fieldOf(metadata: string, name: string): string {
  const value = new RegExp(`^${name}: (\\S+)$`, 'm').exec(metadata)?.[1];
  if (value === undefined) throw new Error(`the metadata of the Python client has no ${name}`);
  return value;
}

function digestOf(text: string): string {
  return Buffer.from(sha256Bytes(text)).toString('base64url');
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}
