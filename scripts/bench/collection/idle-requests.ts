import path from 'node:path';
import type { Chain } from '../../../schemas/types.generated.js';
import { startDemoSources, type DemoService } from '../../demo/demo-sources.js';
import { BenchError, type BenchOptions } from '../bench.js';
import { runChild } from '../child-process.js';

/** Requests of a collection to a source, for a chain. */
export type IdleRequests = {
  readonly chain: Chain;
  readonly source: DemoService;
  readonly requests: number;
};

/** The chains of the demo that are collected from services. */
const CHAINS: readonly Chain[] = ['ethereum', 'arbitrum'];

/** Collects each chain from the services of the demo, again an hour later, and counts the requests of the second time. */
export async function countIdleRequests(folder: string, options: BenchOptions): Promise<IdleRequests[]> {
  const { policy, takeRequests, stop } = await startDemoSources(path.join(options.root, 'scripts', 'sample'));
  const collect = async (chain: Chain, asOf: string): Promise<DemoService[]> => {
    takeRequests();
    const into = ['--policy', policy, '--into', `file:${path.join(folder, 'idle')}`, '--as-of', asOf];
    const script = path.join('generator', 'main.js');
    await runChild(
      { script, args: ['collect', '--chain', chain, ...into], peakFile: path.join(folder, 'peak') },
      options,
    );
    return takeRequests();
  };
  try {
    const counted: IdleRequests[] = [];
    for (const chain of CHAINS) {
      const first = await collect(chain, '2023-09-27T06:00:00Z');
      const second = await collect(chain, '2023-09-27T07:00:00Z');
      if (first.length === 0) throw new BenchError(`${chain} was not collected from a service`);
      for (const source of new Set(first)) {
        counted.push({ chain, source, requests: second.filter((each) => each === source).length });
      }
    }
    return counted;
  } finally {
    await stop();
  }
}
