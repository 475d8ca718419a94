import type { SourceFacts } from '../source.js';

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
