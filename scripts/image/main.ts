/**
 * Prints the names of images with their digests, in the form that BASE_IMAGE in infra/Dockerfile needs: `npm run image-digest -- node:24-slim`.
 * A digest always names the same bytes; a tag moves.
 */
import { resolveDigest } from './resolve-digest.js';

const names = process.argv.slice(2);
if (names.length === 0) {
  process.stderr.write('Name an image: npm run --silent image-digest -- node:24-slim\n');
  process.exitCode = 2;
}
for (const name of names) {
  try {
    process.stdout.write(`${await resolveDigest(name)}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
