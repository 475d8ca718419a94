import { count } from '../../core/text/count.js';
import type { StoreFault } from '../../core/store-fault.js';
import { formatInputFault, type InputFault } from '../../core/input/input-fault.js';

/** Numbers of faults that a run shows. */
const MAX_STORE_FAULTS = 100;
const MAX_INPUT_FAULTS = 20;

/** Writes a line of diagnostics for each fault of a store, up to a limit. */
export function warnOfStoreFaults(faults: readonly StoreFault[], warn: (line: string) => void): void {
  const lines = faults.map(({ key, message }) => `${key}: ${message}`);
  warnOf(lines, MAX_STORE_FAULTS, warn);
}

/** Writes a line of diagnostics for each fault of an input, up to a limit. */
export function warnOfInputFaults(faults: readonly InputFault[], warn: (line: string) => void): void {
  warnOf(faults.map(formatInputFault), MAX_INPUT_FAULTS, warn);
}

function warnOf(lines: readonly string[], limit: number, warn: (line: string) => void): void {
  for (const line of lines.slice(0, limit)) warn(line);
  if (lines.length > limit) warn(`... and ${count(lines.length - limit, 'more fault')} (--json lists all)`);
}
