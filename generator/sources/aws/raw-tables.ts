import type { QueryName } from '../../../schemas/queries.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { SourceFacts } from '../source.js';

/** Raw data of a chain: the query, and the tables that it needs. */
export type RawChain = { readonly query: QueryName; readonly tables: readonly RawTable[] };

/** A table of the bucket. */
export type RawTable = {
  /** Name in the query. */
  readonly name: string;
  /** Keys of its objects begin with this; a folder for each date follows. */
  readonly prefix: string;
  /** The columns that the query needs, by their names in lower case. */
  readonly columns: Readonly<Record<string, ColumnType>>;
};

/** The documented type of a column. `ADDRESSES` is a list of structs with an address. */
export type ColumnType = 'BIGINT' | 'DOUBLE' | 'VARCHAR' | 'BOOLEAN' | 'DECIMAL(38,0)' | 'ADDRESSES';

/** Returns true if a type of DuckDB is the documented one. */
export function isDocumentedType(type: string, expected: ColumnType): boolean {
  return expected === 'ADDRESSES'
    ? /^STRUCT\((.*, )?"?address"? VARCHAR\b.*\)\[\]$/i.test(type)
    : type === expected;
}

/** Returns true if the query reads every value of a type of DuckDB as a column of the documented type, with all its digits. */
export function keepsDigits(type: string, expected: ColumnType): boolean {
  if (isDocumentedType(type, expected)) return true;
  if (expected === 'DOUBLE') return WHOLE.test(type) || DECIMAL.test(type);
  return (expected === 'BIGINT' || expected === 'DECIMAL(38,0)') && WHOLE.test(type);
}

const WHOLE = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT)|DECIMAL\(\d+,0\))$/;
const DECIMAL = /^DECIMAL\(\d+,\d+\)$/;

export function describeType(expected: ColumnType): string {
  return expected === 'ADDRESSES' ? 'STRUCT(address VARCHAR, ...)[]' : expected;
}

/** The chains whose query can be reduced to the blocks. */
export type SonarxChain = 'arbitrum' | 'base';

const BITCOIN: RawChain = {
  query: 'bitcoin',
  tables: [
    {
      name: 'btc_blocks',
      prefix: 'v1.0/btc/blocks/',
      columns: {
        number: 'BIGINT',
        bits: 'VARCHAR',
        transaction_count: 'BIGINT',
        size: 'BIGINT',
        weight: 'BIGINT',
      },
    },
    {
      name: 'btc_transactions',
      prefix: 'v1.0/btc/transactions/',
      columns: {
        is_coinbase: 'BOOLEAN',
        fee: 'DOUBLE',
        output_value: 'DOUBLE',
        inputs: 'ADDRESSES',
        outputs: 'ADDRESSES',
      },
    },
  ],
};

const ETHEREUM: RawChain = {
  query: 'ethereum',
  tables: [
    {
      name: 'eth_blocks',
      prefix: 'v1.0/eth/blocks/',
      columns: { number: 'BIGINT', transaction_count: 'BIGINT', gas_used: 'BIGINT', gas_limit: 'BIGINT' },
    },
    {
      name: 'eth_transactions',
      prefix: 'v1.0/eth/transactions/',
      columns: {
        from_address: 'VARCHAR',
        to_address: 'VARCHAR',
        receipt_status: 'BIGINT',
        receipt_gas_used: 'BIGINT',
        receipt_effective_gas_price: 'BIGINT',
      },
    },
  ],
};

/** The tables of the v1.0 data set. */
export const AWS_CHAINS = { bitcoin: BITCOIN, ethereum: ETHEREUM } as const;

/** Returns what is read of a chain in the SonarX data set. */
export function sonarxChain(chain: SonarxChain, blocksOnly: boolean): RawChain {
  const blocks: RawTable = {
    name: `${chain}_blocks`,
    prefix: `v1.1/sonarx/${chain}/blocks/`,
    columns: {
      block_number: 'DECIMAL(38,0)',
      transaction_count: 'DECIMAL(38,0)',
      gas_used: 'DECIMAL(38,0)',
      ...(chain === 'base' ? { gas_limit: 'DECIMAL(38,0)' } : {}),
    },
  };
  const transactions: RawTable = {
    name: `${chain}_transactions`,
    prefix: `v1.1/sonarx/${chain}/transactions/`,
    columns: {
      from_address: 'VARCHAR',
      to_address: 'VARCHAR',
      status: 'DECIMAL(38,0)',
      transaction_type: 'DECIMAL(38,0)',
      gas_used: 'DECIMAL(38,0)',
      effective_gas_price_gwei: 'DOUBLE',
      transaction_fee: 'DOUBLE',
      ...(chain === 'base' ? { l1_fee: 'DOUBLE' } : {}),
    },
  };
  if (blocksOnly) return { query: `${chain}-blocks`, tables: [blocks] };
  return { query: chain, tables: [blocks, transactions] };
}

/** Raw data of the chains of a source. */
export type RawChains = { readonly [chain in Chain]?: RawChain };

/** S3 answers at least 5,500 requests a second for a prefix. */
const REQUESTS_PER_MINUTE = 330_000;

/** Terms and definitions of the data of bitcoin and ethereum. */
export const AWS_FACTS: SourceFacts = {
  id: 'aws',
  name: 'AWS Public Blockchain Data',
  url: 'https://registry.opendata.aws/aws-public-blockchain/',
  licence: 'MIT-0 (LICENSE of aws-solutions-library-samples/guidance-for-digital-assets-on-aws)',
  resale: 'yes',
  attribution: null,
  completeFrom: '02:15',
  settlingDays: 3,
  requestsPerMinute: REQUESTS_PER_MINUTE,
  definitions: [
    'A day has the blocks whose header time is in it. On bitcoin, header times may go backwards, so that the numbers of two days interleave at midnight.',
    'bitcoin: tx_count and fee_median are without the coinbase transactions, which pay no fee.',
    'ethereum: fees_total and fee_median are without the fees for blobs.',
    'active_addresses: distinct senders and recipients; on bitcoin those of inputs and outputs.',
  ],
};

/** Terms and definitions of the data of arbitrum and base. Nobody has found terms for them. */
export const SONARX_FACTS: SourceFacts = {
  id: 'sonarx',
  name: 'AWS Public Blockchain Data by SonarX',
  url: 'https://registry.opendata.aws/aws-public-blockchain/',
  licence: 'No terms are known. Ask SonarX and write down its answer before you publish.',
  resale: 'unknown',
  attribution: null,
  completeFrom: '06:15',
  settlingDays: 7,
  requestsPerMinute: REQUESTS_PER_MINUTE,
  definitions: [
    'Transactions of the protocol itself (type 106 on arbitrum, 126 on base) are not counted, but their gas is in gas_used.',
    'base: fees_total and fee_median include the fee for Ethereum.',
    'active_addresses: distinct senders and recipients.',
  ],
};
