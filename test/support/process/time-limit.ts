import { availableParallelism, loadavg } from 'node:os';

/** Returns a time limit, in its own unit, that grows with the load of the machine: a busy one is slow, which is no fault. */
export function timeLimit(limit: number): number {
  const [load = 0] = loadavg();
  return limit * Math.max(1, load / availableParallelism());
}
