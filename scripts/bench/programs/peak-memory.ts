/**
 * Module for `--import`: when the process exits, writes its peak resident memory in bytes to the file in
 * BENCH_PEAK_MEMORY_FILE.
 */
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  const file = process.env['BENCH_PEAK_MEMORY_FILE'];
  if (file === undefined) return;
  // resourceUsage().maxRSS cannot be used, because a child process inherits the peak of its parent.
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  writeFileSync(file, String(Number(kibibytes) * 1024));
});
