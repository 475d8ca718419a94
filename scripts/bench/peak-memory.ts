/**
 * Preloaded into a measured process (`--import`): when it exits, its peak resident set in bytes goes to the file
 * that BENCH_PEAK_MEMORY_FILE names.
 */
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  const file = process.env['BENCH_PEAK_MEMORY_FILE'];
  if (file === undefined) return;
  // Not resourceUsage().maxRSS: a child inherits its parent's peak there.
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  writeFileSync(file, String(Number(kibibytes) * 1024));
});
