/**
 * Writes what this build was made from into `dist/build-info.json`, and the digests of what its code makes of the product's
 * texts into `dist/text-digests.json`, so that no run computes them. `npm run build` runs it at its end.
 */
import { rm, writeFile } from 'node:fs/promises';
import { siteTextsDigest } from '../../generator/core/draft/site.js';
import { writersFingerprint } from '../../generator/core/release/writers-fingerprint.js';
import { DIGESTS_FILE, readProductTexts, type BuiltDigests } from '../../generator/texts/product-texts.js';
import { describeBuild } from './describe-build.js';

const writeJson = (file: string, value: unknown): Promise<void> =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

await writeJson('dist/build-info.json', await describeBuild('.', process.env['SOURCE_COMMIT'])); // npm runs it in the root folder

await rm(`dist/${DIGESTS_FILE}`, { force: true }); // those of an earlier build would be read, not computed
const texts = await readProductTexts();
const digests: BuiltDigests = {
  v8: process.versions.v8,
  writersSha256: writersFingerprint(texts),
  siteTextsSha256: siteTextsDigest(texts),
};
await writeJson(`dist/${DIGESTS_FILE}`, digests);
