import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** A node of a development chain, whose blocks are mined on demand. */
export type Anvil = {
  readonly endpoint: string;
  /** Calls a method, and returns its result. */
  readonly call: (method: string, ...params: readonly unknown[]) => Promise<unknown>;
  readonly dispose: () => Promise<void>;
};

const PROGRAM = path.resolve('.anvil', 'node_modules', '@foundry-rs', platformPackage(), 'bin', 'anvil');

/**
 * Starts anvil, which `npm run install:anvil` installs. A block is finalized when two others follow it.
 * `timestamp`: time of its first block, in seconds since the epoch.
 */
export async function startAnvil(chainId: number, timestamp: number): Promise<Anvil> {
  const options = ['--no-mining', '--slots-in-an-epoch', '1', '--order', 'fifo', '--port', '0'];
  const child = spawn(
    PROGRAM,
    [...options, '--chain-id', String(chainId), '--timestamp', String(timestamp)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const endpoint = await Promise.race([
    readEndpoint(createInterface(child.stdout)),
    once(child, 'error').then(([error]) => Promise.reject(error as Error)),
  ]);
  let id = 0;
  return {
    endpoint,
    async call(method, ...params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(endpoint, { method: 'POST', headers, body });
      const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    },
    async dispose() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function readEndpoint(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, address] = /^Listening on (127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (address !== undefined) return `http://${address}`;
  }
  throw new Error('anvil ended before it listened');
}

function platformPackage(): string {
  const [platform, arch] = [process.platform, process.arch === 'x64' ? 'amd64' : process.arch];
  return `anvil-${platform}-${arch}`;
}
