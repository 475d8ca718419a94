/** `npm run demo`: checks the options and the port before the build, and runs the demo that was built. */
import { assertFreePort, parseDemoOptions } from './demo-options.js';

const { port } = parseDemoOptions(process.argv);
try {
  if (port !== 0) await assertFreePort(port);
  const { buildProduct } = await import('../build/build.js');
  await buildProduct(['scripts/demo/demo.ts']);
  await import(new URL('../../dist/scripts/demo/demo.js', import.meta.url).href);
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
