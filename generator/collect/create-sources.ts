import path from 'node:path';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type {
  AwsPolicy,
  BitcoinNodePolicy,
  Chain,
  CoinMetricsPolicy,
  EvmNodePolicy,
  FilesPolicy,
  PolicyEngine,
  PolicySource,
  SonarxPolicy,
  SourcesPolicy,
} from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { findLicenceRefusal } from '../core/collection/collection-rules.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { createDuckDbEngine } from '../engines/duckdb-engine.js';
import { type Engine, EngineError } from '../engines/engine.js';
import { createTrinoEngine } from '../engines/trino-engine.js';
import { filePathOf } from '../../schemas/store-address.js';
import { openInputFolder } from '../input/input-folder.js';
import { createAws, createSonarx } from '../sources/aws/aws.js';
import { createBitcoinNode } from '../sources/bitcoin-node/bitcoin-node.js';
import { createCoinMetrics } from '../sources/coinmetrics.js';
import { createEvmNode } from '../sources/evm-node/evm-node.js';
import { createFiles } from '../sources/files/files.js';
import { createGrowthepie } from '../sources/growthepie/growthepie.js';
import { createReadOnce, type Source } from '../sources/source.js';

/** The machine, as sources need it. */
export type SourceContext = {
  /** Folder of the policy, at which relative folders begin. */
  readonly policyFolder: string;
  /** A folder for raw data while a day is computed. */
  readonly cacheFolder: string;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly openStore: (address: string) => Promise<ObjectStore>;
  readonly signal: AbortSignal;
  /**
   * What the sources are for. Collecting ends without the engine that a query needs; a check goes on with the other sources.
   * For a list of their terms, variables that the policy names need not be set.
   */
  readonly purpose: 'collect' | 'check' | 'list';
};

/**
 * Creates the sources that the chains of a policy name. The engine of the policy is opened by the first query that runs.
 * @throws GeneratorError 'usage' for a source whose licence does not allow the use, or that is not configured well.
 */
export async function createSources(
  policy: SourcesPolicy,
  chains: readonly Chain[],
  context: SourceContext,
): Promise<ReadonlyMap<string, Source>> {
  const sources = new Map<string, Source>();
  const readOnce = createReadOnce();
  const engine = async (): Promise<Engine> => {
    const opened = readOnce('engine', () => openEngine(policy.engine ?? { kind: 'duckdb' }, context));
    return context.purpose === 'collect' ? opened.catch(toUsageError) : opened;
  };
  for (const [name, entry] of Object.entries(policy.sources)) {
    const users = CHAIN_IDS.filter((chain) => namesOf(policy, chain).includes(name));
    if (!users.some((chain) => chains.includes(chain))) continue;
    const source = await createSource({ name, entry, users, policy }, engine, context);
    const refusal = findLicenceRefusal(
      { ...source.facts, id: name },
      { commercial: policy.commercial ?? false, statement: entry.statement },
    );
    if (refusal !== undefined) throw new GeneratorError('usage', refusal, { next: RUN_AGAIN });
    sources.set(name, { ...source, facts: { ...source.facts, id: name } });
  }
  return sources;
}

/** Returns the names of the sources of a chain. */
function namesOf({ chains }: SourcesPolicy, chain: Chain): string[] {
  const { source, fill = [], check = [] } = chains[chain] ?? {};
  return [...(source === undefined ? [] : [source]), ...[...fill, ...check].map((each) => each.source)];
}

type Configured = {
  readonly name: string;
  readonly entry: PolicySource;
  /** The chains that name the source. */
  readonly users: readonly Chain[];
  readonly policy: SourcesPolicy;
};

async function createSource(
  { name, entry, users, policy }: Configured,
  engine: () => Promise<Engine>,
  context: SourceContext,
): Promise<Source> {
  switch (entry.kind) {
    case 'aws':
      return createAws(toBucketOptions(entry, engine, context));
    case 'sonarx': {
      const { blocks_only: only } = entry;
      const blocksOnly = only === undefined ? {} : { blocksOnly: { arbitrum: only, base: only } };
      return createSonarx({ ...toBucketOptions(entry, engine, context), ...blocksOnly });
    }
    case 'growthepie':
      return createGrowthepie(pick('endpoint', entry.endpoint));
    case 'coinmetrics':
      return toCoinMetrics(name, entry, policy, context);
    case 'evm-node':
      return toEvmNode(name, entry, users, context);
    case 'bitcoin-node':
      return createBitcoinNode({ id: name, endpoint: endpointOf(name, entry, context) });
    case 'files':
      return toFiles(name, entry, context);
  }
}

function toBucketOptions(
  { endpoint, bucket }: AwsPolicy | SonarxPolicy,
  openEngine: () => Promise<Engine>,
  { cacheFolder }: SourceContext,
): Parameters<typeof createAws>[0] {
  return { openEngine, cacheFolder, ...pick('endpoint', endpoint), ...pick('bucket', bucket) };
}

function toCoinMetrics(
  name: string,
  { endpoint, licence, key_env: variable }: CoinMetricsPolicy,
  { commercial = false }: SourcesPolicy,
  context: SourceContext,
): Source {
  const apiKey = variable === undefined ? undefined : readVariable(name, variable, context, 'not set');
  return createCoinMetrics({ licence, commercial, ...pick('endpoint', endpoint), ...pick('apiKey', apiKey) });
}

function toEvmNode(
  name: string,
  entry: EvmNodePolicy,
  users: readonly Chain[],
  context: SourceContext,
): Source {
  const [chain, ...others] = users;
  if (chain === undefined || chain === 'bitcoin' || others.length > 0) {
    const message = `${name}: a node serves one chain of ethereum, arbitrum and base, but the policy names it for ${users.join(', ')}. Give each chain a node of its own.`;
    throw new GeneratorError('usage', message, { next: RUN_AGAIN });
  }
  const endpoint = endpointOf(name, entry, context);
  return createEvmNode({ id: name, chain, endpoint, ...pick('receipts', entry.receipts) });
}

async function toFiles(name: string, entry: FilesPolicy, context: SourceContext): Promise<Source> {
  const { folder, licence, resale, columns } = entry;
  const address = folder.startsWith('s3://')
    ? folder
    : path.resolve(context.policyFolder, filePathOf(folder) ?? folder);
  return createFiles({
    id: name,
    name: entry.name,
    url: entry.url ?? '',
    licence,
    resale,
    folder: await openInputFolder(address, context.openStore),
    ...pick('columns', columns),
    ...pick('dateColumn', entry.date_column),
    ...pick('attribution', entry.attribution),
  });
}

function endpointOf(
  name: string,
  { endpoint, endpoint_env: variable }: EvmNodePolicy | BitcoinNodePolicy,
  context: SourceContext,
): string {
  if (endpoint !== undefined) return endpoint;
  if (variable !== undefined) return readVariable(name, variable, context, 'https://not-set.invalid');
  throw new GeneratorError('usage', `${name}: the policy has neither endpoint nor endpoint_env.`, {
    next: RUN_AGAIN,
  });
}

/** Returns the value of a variable, or the placeholder if the source is only listed. @throws GeneratorError 'usage' */
function readVariable(
  name: string,
  variable: string,
  { environment, purpose }: SourceContext,
  placeholder: string,
): string {
  if (purpose === 'list') return placeholder;
  const value = environment[variable];
  if (value !== undefined && value !== '') return value;
  throw new GeneratorError(
    'usage',
    `${name}: the environment variable ${variable}, which the policy names, is not set.`,
    { next: RUN_AGAIN },
  );
}

function toUsageError(error: unknown): never {
  if (!(error instanceof EngineError)) throw error;
  throw new GeneratorError('usage', error.message, { cause: error, next: RUN_AGAIN });
}

/** Opens the engine of a policy. @throws EngineError if it is not installed or cannot be reached */
async function openEngine(engine: PolicyEngine, { cacheFolder, signal }: SourceContext): Promise<Engine> {
  switch (engine.kind) {
    case 'duckdb':
      return createDuckDbEngine({
        folder: cacheFolder,
        ...pick('threads', engine.threads),
        ...pick('memoryMb', engine.memory_mb),
      });
    case 'trino': {
      const { endpoint, catalog, database, user } = engine;
      return createTrinoEngine({ endpoint, catalog, schema: database, ...pick('user', user) }, signal);
    }
    case 'athena': {
      const { region, workgroup, database, output, endpoint } = engine;
      const { createAthenaEngine } = await import('../engines/athena-engine.js'); // its client takes long to load
      const options = { region, workgroup, database };
      return createAthenaEngine(
        { ...options, ...pick('outputLocation', output), ...pick('endpoint', endpoint) },
        signal,
      );
    }
  }
}

/** Returns an object with a member, or an empty one if its value is undefined. */
function pick<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: V }); // a computed key loses its type
}
