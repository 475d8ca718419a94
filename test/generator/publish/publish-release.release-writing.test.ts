import { sha256Hex } from '../../../schemas/digest.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import {
  beginWriting,
  type FileToWrite,
  writeArtifacts,
  writeFiles,
  type Writing,
} from '../../../generator/publish/publish-release.js';
import { SILENT } from '../../../generator/run/progress.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

function toFile(text: string): FileToWrite {
  const body = Buffer.from(text);
  return { path: '/file', type: 'text/plain', sha256: sha256Hex(body), bytes: body.length, body: () => body };
}

async function write(store: ObjectStore, texts: readonly string[]): Promise<Writing> {
  const options = { store, now: () => 0, progress: SILENT };
  const writing = await beginWriting(options, texts.length);
  await writeFiles(writing, texts.map(toFile), options);
  return writing;
}

describe('the number of objects and bytes that a run reports as written', () => {
  it('is what a new store contains afterwards', async () => {
    const store = createMemoryStore();
    const { written, files } = await write(store, ['one', 'two', 'three']);
    const sizes: number[] = [];
    for await (const { sizeBytes } of store.list('')) sizes.push(sizeBytes);
    expect(written).toEqual({ objects: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) });
    expect(files).toBe(3);
  });

  it('leaves out objects that an earlier run created', async () => {
    const store = createMemoryStore();
    await write(store, ['one', 'two', 'three']);
    const { written, files } = await write(store, ['one', 'two', 'three', 'seven']);
    expect(written).toEqual({ objects: 1, bytes: 'seven'.length });
    expect(files).toBe(4);
  });
});

it('a run reports its stages, and the number of files that it really writes', async () => {
  const calls: string[] = [];
  const note =
    (name: string) =>
    (...values: unknown[]): void =>
      void calls.push([name, ...values].join(' '));
  const progress = {
    begin: note('begin'),
    advance: () => undefined,
    expect: note('expect'),
    end: note('end'),
    abandon: note('abandon'),
  };
  const options = { store: createMemoryStore(), now: () => 0, progress };
  const writing = await beginWriting(options, 1);
  await writeFiles(writing, ['one', 'two'].map(toFile), options);
  await writeArtifacts(writing, [], options);
  expect(calls).toEqual(['begin mark', 'end', 'begin write 1', 'expect 2', 'end 2 files, 18 B new']);
});
