import { readFile } from 'node:fs/promises';
import { unzipSync, strFromU8 } from 'fflate';
import { makeWheel, type PythonClient } from '../../../../generator/core/artifacts/python-wheel.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { sha256Bytes, sha256Hex } from '../../../../schemas/digest.js';
import { isPublicPath } from '../../../../schemas/release-paths.js';
import { wheelPath } from '../../../../schemas/paths.js';

const CLIENT: PythonClient = {
  metadata: 'Metadata-Version: 2.4\nName: a-client\nVersion: 1.2.0\n',
  readme: '# A client\n',
  licence: 'Free.\n',
  sources: { 'crd/b.py': 'b = "ü"\n', 'crd/__init__.py': '' },
};
/** The digest of each wheel by its name. */
const WHEELS = new URL('../../../golden/wheels.json', import.meta.url);
const INFO = 'a_client-1.2.0.dist-info';

/** Returns the texts of the files of a wheel. */
function filesOf(bytes: Uint8Array): Record<string, string> {
  const files = Object.entries(unzipSync(bytes));
  return Object.fromEntries(files.map(([name, content]) => [name, strFromU8(content)]));
}

describe('makeWheel', () => {
  it('names the wheel by the metadata, and packs the sources with the metadata and the description', () => {
    const { name, bytes } = makeWheel(CLIENT);
    expect(name).toBe('a_client-1.2.0-py3-none-any.whl');
    const files = filesOf(bytes);
    expect(Object.keys(files)).toEqual([
      'crd/__init__.py',
      'crd/b.py',
      `${INFO}/METADATA`,
      `${INFO}/WHEEL`,
      `${INFO}/entry_points.txt`,
      `${INFO}/licenses/LICENSE`,
      `${INFO}/RECORD`,
    ]);
    expect(files['crd/b.py']).toBe('b = "ü"\n');
    expect(files[`${INFO}/METADATA`]).toBe(`${CLIENT.metadata}\n# A client\n`);
  });

  it('lists each file with its digest and size, but not the list itself', () => {
    const { bytes, record } = makeWheel(CLIENT);
    const files = filesOf(bytes);
    expect(files[`${INFO}/RECORD`]).toBe(record);
    const lines = Object.entries(files).map(([name, text]) => {
      if (name.endsWith('/RECORD')) return `${name},,`;
      const digest = Buffer.from(sha256Bytes(text)).toString('base64url');
      return `${name},sha256=${digest},${Buffer.byteLength(text)}`;
    });
    expect(record).toBe(`${lines.join('\n')}\n`);
  });

  it('has the same bytes for sources in another order, without a time in them', () => {
    const { bytes } = makeWheel(CLIENT);
    const sources = Object.fromEntries(Object.entries(CLIENT.sources).reverse());
    expect(Buffer.from(makeWheel({ ...CLIENT, sources }).bytes).equals(bytes)).toBe(true);
    const times = Buffer.from(bytes).subarray(10, 14); // of the first local header
    expect(times.toString('hex')).toBe('00002100'); // 1980-01-01T00:00:00
  });

  it('rejects metadata without a version', () => {
    expect(() => makeWheel({ ...CLIENT, metadata: 'Name: a-client\n' })).toThrow('has no Version');
  });
});

describe('the wheel of the product', () => {
  it('has a new version when its content changes, because pip keeps a wheel by its name', async () => {
    const { name, bytes } = makeWheel((await readProductTexts()).python);
    const known = JSON.parse(await readFile(WHEELS, 'utf8')) as Record<string, string>; // of this repository
    const sha256 = sha256Hex(bytes);
    const hint = [
      `The client has other content than the ${name} in test/golden/wheels.json.`,
      'Raise Version in templates/python/METADATA and add the new wheel: this test then shows its digest.',
      'If no release has listed this version yet, correct its digest instead.',
    ];
    expect({ name, sha256: known[name], hint }).toEqual({ name, sha256, hint });
  });

  it.each(['README.md', 'templates/python/README.md'])('is the one that %s installs', async (page) => {
    const { name } = makeWheel((await readProductTexts()).python);
    const text = await readFile(new URL(`../../../../${page}`, import.meta.url), 'utf8');
    expect(text).toContain(`${wheelPath(name)}"`);
  });

  it('has the package with its types, and a path that a release can list', async () => {
    const { name, bytes } = makeWheel((await readProductTexts()).python);
    const files = filesOf(bytes);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['crd/__init__.py', 'crd/py.typed', 'crd/mirrors/run.py']),
    );
    expect(
      Object.keys(files).filter((file) => !/^crd\/.*(\.py|py\.typed)$|\.dist-info\//.test(file)),
    ).toEqual([]);
    expect(isPublicPath(wheelPath(name))).toBe(true);
  });
});
