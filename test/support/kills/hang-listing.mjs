/**
 * Preloaded, it makes listing any folder wait for ever in a system call, as on a network drive that hangs: it opens the
 * named pipe of the query `pipe`, which nobody writes to.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const pipe = new URL(import.meta.url).searchParams.get('pipe');
fs.promises.readdir = () => fs.promises.open(pipe);
syncBuiltinESMExports();
