/** Writes the golden release. Run by `npm run golden`, in a commit that says why. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolder } from '../support/process/temporary-folder.js';
import { committedFiles } from './committed-files.js';
import { GOLDEN, publishGolden } from './scenario.js';
import { digestStore, formatDigests, readStore } from './store-digests.js';

const folder = await createTemporaryFolder();
const contents = await readStore(await publishGolden(folder.path));
const release = path.join(GOLDEN, 'release');
await rm(release, { recursive: true, force: true });
for (const [name, bytes] of committedFiles(contents)) {
  const file = path.join(release, 'files', name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
}
await writeFile(path.join(release, 'digests.txt'), formatDigests(digestStore(contents)));
await folder.dispose();
