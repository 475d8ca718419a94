import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdir, readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createDirectoryStore } from '../../../../infra/store/directory/directory-store.js';
import { MAX_OBJECT_BYTES, type ObjectStore } from '../../../../infra/store/object-store.js';
import { describeObjectStore } from '../../../contract/object-store.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

const META = { contentType: 'text/plain', cacheControl: 'no-cache' };
const BODY = Buffer.from('text');
const DAY_MS = 86_400_000;
/** A name that the store gives to its temporary files. */
const LEFTOVER = '0123456789abcdef01234567-1';

describeObjectStore('a directory store', async () => {
  const folder = await createTemporaryFolder();
  return { store: createDirectoryStore(path.join(folder.path, 'root')), dispose: folder.dispose };
});

describe('a directory store', () => {
  let folder: TemporaryFolder;
  let root: string;
  let store: ObjectStore;
  beforeEach(async () => {
    folder = await createTemporaryFolder();
    root = path.join(folder.path, 'root');
    store = createDirectoryStore(root);
  });
  afterEach(() => folder.dispose());

  it('stores a key as a file of this path below its root', async () => {
    await store.putIfAbsent('public/a.json', BODY, META);
    expect(await readFile(path.join(root, 'public', 'a.json'), 'utf8')).toBe('text');
    expect(store.address).toBe(`file:${root}`);
  });

  it('takes a named pipe or a socket for a missing object, because reading it might never end', async () => {
    await store.putIfAbsent('a', BODY, META);
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    const server = createServer().listen(path.join(root, 'socket'));
    await once(server, 'listening');
    for (const key of ['pipe', 'socket']) {
      expect([key, await store.get(key), await store.head(key)]).toEqual([key, undefined, undefined]);
    }
    server.close();
  });

  it('reads only the first bytes of an object that is larger than any of the product', async () => {
    await store.putIfAbsent('a', BODY, META);
    await truncate(path.join(root, 'a'), 3 * 2 ** 30);
    expect((await store.get('a'))?.bytes.length).toBe(MAX_OBJECT_BYTES);
  });

  it('creates nothing before the first write', async () => {
    await store.get('a');
    await store.head('a');
    for await (const { key } of store.list('')) expect(key).toBeUndefined();
    expect(await readdir(folder.path)).toEqual([]);
  });

  describe.each([
    ['relative paths', ['..', '../secret', 'a/../../secret', 'a/..', './secret', 'a/./b']],
    ['misplaced slashes', ['/secret', '/', 'a/', 'a//b']],
    ['hidden files', ['.lock', '.tmp/0/x', 'a/.hidden']],
    ['other characters', ['', ' ', 'a b', 'a\nb', 'a\0b', 'é', 'a:b', '%2e%2e/secret']],
    ['paths of Windows', ['a\\b', '..\\secret', 'C:\\secret']],
  ])('for keys that are %s', (_name, keys) => {
    it.each(keys)('rejects every operation on the key %j with a TypeError', async (key) => {
      await writeFile(path.join(folder.path, 'secret'), 'untouched');
      await expect(store.get(key)).rejects.toThrow(TypeError);
      await expect(store.head(key)).rejects.toThrow(TypeError);
      await expect(store.putIfAbsent(key, BODY, META)).rejects.toThrow(TypeError);
      await expect(store.compareAndSwap(key, BODY, null, META)).rejects.toThrow(TypeError);
      await expect(store.delete(key)).rejects.toThrow(TypeError);
      expect(await readdir(folder.path)).toEqual(['secret']);
      expect(await readFile(path.join(folder.path, 'secret'), 'utf8')).toBe('untouched');
    });
  });

  it.each(['../', '../secrets/', 'a/../../secrets/'])(
    'never lists objects outside its root: %s',
    async (prefix) => {
      await mkdir(path.join(folder.path, 'secrets'));
      await writeFile(path.join(folder.path, 'secrets', 'one'), 'text');
      await store.putIfAbsent('a/b', BODY, META);
      const listed: string[] = [];
      try {
        for await (const { key } of store.list(prefix)) listed.push(key);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
      expect(listed).toEqual([]);
    },
  );

  describe('with temporary files of crashed runs', () => {
    const nowMs = Date.now();
    const places = ['.tmp', ...Array.from({ length: 16 }, (_, i) => `.tmp/${i}`)];

    async function leave(name: string, ageMs: number): Promise<void> {
      for (const place of places) {
        await mkdir(path.join(root, place), { recursive: true });
        const file = path.join(root, place, name);
        await writeFile(file, 'half a te');
        await utimes(file, (nowMs - ageMs) / 1000, (nowMs - ageMs) / 1000);
      }
    }

    async function placesWith(name: string): Promise<string[]> {
      const found = await Promise.all(
        places.map(async (place) => ((await readdir(path.join(root, place))).includes(name) ? [place] : [])),
      );
      return found.flat();
    }

    async function writeToEveryTemporaryFolder(): Promise<void> {
      for (let i = 0; i < 20; i += 1) await store.putIfAbsent(`object-${i}`, BODY, META);
      await store.compareAndSwap('pointer', BODY, null, META);
    }

    it('never lists them', async () => {
      await leave('leftover', 0);
      await store.putIfAbsent('a', BODY, META);
      for (const prefix of ['', '.', '.tmp', '.tmp/', '.tmp/0/']) {
        const listed: string[] = [];
        try {
          for await (const { key } of store.list(prefix)) listed.push(key);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
        expect([prefix, listed]).toEqual([prefix, prefix === '' ? ['a'] : []]);
      }
    });

    it('removes those older than a day', async () => {
      await leave(LEFTOVER, DAY_MS + 60_000);
      await writeToEveryTemporaryFolder();
      expect(await placesWith(LEFTOVER)).toEqual([]);
    });

    it('keeps files with other names, which are not its own', async () => {
      await leave('photo.jpg', DAY_MS + 60_000);
      await writeToEveryTemporaryFolder();
      expect(await placesWith('photo.jpg')).toEqual(places);
    });

    it('keeps those younger than a day, because their writer may be alive', async () => {
      await leave(LEFTOVER, DAY_MS - 60_000);
      await writeToEveryTemporaryFolder();
      expect(await placesWith(LEFTOVER)).toEqual(places);
    });

    it('removes its own temporary files and locks', async () => {
      await writeToEveryTemporaryFolder();
      await store.putIfAbsent('object-1', BODY, META);
      await store.compareAndSwap('pointer', BODY, null, META);
      const names = (await readdir(root, { recursive: true })).filter((name) =>
        path.basename(path.dirname(name)).match(/^(\.tmp|\d+)$/),
      );
      const files = await Promise.all(
        names.map(async (name) => ((await stat(path.join(root, name))).isFile() ? [name] : [])),
      );
      expect([files.flat(), (await readdir(root)).filter((name) => name.startsWith('.lock'))]).toEqual([
        [],
        [],
      ]);
    });
  });

  it.each(['a file', 'below a file'])('is unavailable and names the path if its root is %s', async (kind) => {
    const file = path.join(folder.path, 'file');
    await writeFile(file, 'no folder');
    const broken = createDirectoryStore(kind === 'a file' ? file : path.join(file, 'root'));
    const unavailable = { name: 'StoreError', code: 'unavailable', message: expect.stringContaining(file) };
    await expect(broken.putIfAbsent('a', BODY, META)).rejects.toMatchObject(unavailable);
    await expect(broken.compareAndSwap('a', BODY, null, META)).rejects.toMatchObject(unavailable);
    expect(await readFile(file, 'utf8')).toBe('no folder');
  });
});
