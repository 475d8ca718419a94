/** Writes what this build was made from into `dist/build-info.json`. `npm run build` runs it at its end. */
import { writeFile } from 'node:fs/promises';
import { describeBuild } from './describe-build.js';

const build = await describeBuild('.', process.env['SOURCE_COMMIT']); // npm runs it in the root folder
await writeFile('dist/build-info.json', `${JSON.stringify(build, null, 2)}\n`);
