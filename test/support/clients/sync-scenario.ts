import { cp } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { startGatewayProcess, type GatewayProcess } from '../gateway/gateway-process.js';
import { prepareServedRelease, type ServedRelease } from '../gateway/served-release.js';
import { startFaultyProxy, type FaultyProxy } from '../process/faulty-proxy.js';
import type { ProgramRun } from '../process/run-program.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';
import { readCurrent } from '../release/read-release.js';
import { publish } from '../release/published-store.js';
import { writeSmallInput } from '../release/small-input.js';
import type { RecordedRequest } from '../s3/object-host.js';
import { copyExamples, type CopiedExamples } from './copied-examples.js';
import { installClients } from './python-clients.js';

/** The command that mirrors the day files of an archive. */
export const SYNC_COMMAND = 'crd sync --days';
/** Number of dates of the first release. */
export const DATE_COUNT = 119;
/** The date that the second release restates. */
export const RESTATED = '2025-04-20';
/** The date that the second release adds. */
export const ADDED = '2025-04-30';

/** A gateway on a store, with a proxy in front of the gateway and of its files. */
export type SyncServer = {
  readonly root: string;
  readonly store: ObjectStore;
  readonly proxy: FaultyProxy;
  readonly gateway: GatewayProcess;
  readonly stop: () => Promise<unknown>;
};

/** Two releases of base, and the programs that mirror their gold days. */
export type SyncScenario = {
  readonly examples: CopiedExamples;
  readonly release: ServedRelease;
  readonly first: ReleaseRecord;
  /** Serves the first release. Tests do not publish to its store. */
  readonly server: SyncServer;
  /** Starts a server on a copy of the store, with the first or with both releases. */
  readonly startServer: (from: 'first' | 'second') => Promise<SyncServer>;
  readonly publishSecond: (root: string) => Promise<void>;
  /** Returns the path of a new folder. */
  readonly newFolder: () => string;
  readonly dispose: () => Promise<void>;
};

/** Publishes the first release and starts its server. */
export async function createSyncScenario(): Promise<SyncScenario> {
  const folder = await createTemporaryFolder();
  const inFolder = (name: string): string => path.join(folder.path, name);
  const release = await prepareServedRelease({
    store: `file:${inFolder('first')}`,
    accounts: `file:${inFolder('accounts')}`,
    folder: inFolder('input'),
  });
  let folders = 0;

  async function publishSecond(root: string): Promise<void> {
    const days = { base: DATE_COUNT + 1 };
    const input = await writeSmallInput(inFolder('second-input'), { days, revised: RESTATED });
    const accept = ['--accept-restatements', 'upstream corrected a count'];
    const { code, stderr } = await publish(input, root, '2025-05-01T00:00:00Z', ...accept);
    if (code !== 0) throw new Error(stderr);
  }

  async function serve(root: string): Promise<SyncServer> {
    const proxy = await startFaultyProxy();
    const gateway = await startGatewayProcess({
      ...release.env,
      CRD_STORE: `file:${root}`,
      CRD_PUBLIC_BASE_URL: proxy.endpoint,
      CRD_POLL_SECONDS: '1',
      CRD_RATE_KEY_PER_MINUTE: '100000',
    });
    proxy.forwardTo(gateway.url);
    const store = await openStore(`file:${root}`);
    return { root, store, proxy, gateway, stop: () => Promise.all([gateway.stop(), proxy.dispose()]) };
  }

  const server = await serve(inFolder('first'));
  return {
    examples: await copyExamples(inFolder('copied'), installClients()),
    release,
    first: release.record,
    server,
    publishSecond,
    async startServer(from) {
      const root = inFolder(`store-${(folders += 1)}`);
      await cp(inFolder('first'), root, { recursive: true });
      if (from === 'second') await publishSecond(root);
      return serve(root);
    },
    newFolder: () => inFolder(`mirror-${(folders += 1)}`),
    async dispose() {
      await server.stop();
      await folder.dispose();
    },
  };
}

/** Waits until a gateway serves the current release of its store, and returns that release. */
export async function waitUntilServed({ gateway, store }: SyncServer): Promise<ReleaseRecord> {
  const record = await readCurrent(store);
  for (let i = 0; i < 200; i += 1) {
    const answer = await fetch(gateway.url + PUBLIC_PATHS.release);
    const { published_revision: served } = (await answer.json()) as { published_revision?: string };
    if (served === record.revision) return record;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${record.revision} was not served within ten seconds`);
}

/** Runs a program that mirrors the gold days of base to a folder. */
export type SyncRunner = {
  /** The folder of the mirrored days. */
  readonly mirror: string;
  readonly argumentsFor: (...args: readonly string[]) => string[];
  readonly run: (server: SyncServer, ...args: readonly string[]) => Promise<ProgramRun>;
};

/** Creates a runner of `program` with a new folder. */
export function createSyncRunner(
  scenario: SyncScenario,
  program: string,
): SyncRunner & { readonly to: string } {
  const to = scenario.newFolder();
  const argumentsFor = (...args: readonly string[]): string[] => {
    return ['--chain', 'base', '--genre', 'gold', '--to', to, ...args];
  };
  return {
    to,
    mirror: path.join(to, 'gold', 'base'),
    argumentsFor,
    run: ({ proxy }, ...args) => {
      const options = { gateway: proxy.endpoint, key: scenario.release.key };
      return scenario.examples.run(program, argumentsFor(...args), options);
    },
  };
}

/** Returns true for a request of a manifest. */
export const isManifest = ({ url }: RecordedRequest): boolean => url.includes('/manifest.json');
/** Returns true for a request of a day file from the gateway. */
export const isDay = ({ url }: RecordedRequest): boolean => url.includes('?revision=');
/** Returns true for a request of the gateway rather than of a file behind a link. */
export const isApi = ({ url }: RecordedRequest): boolean => url.startsWith('/api/');
/** Returns the date of a requested day file. */
export const dayOf = ({ url }: RecordedRequest): string => /(\d{4}-\d\d-\d\d)\.json\?/.exec(url)?.[1] ?? '';
