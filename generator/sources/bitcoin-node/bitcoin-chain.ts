/** Hash of the first block of Bitcoin's main network. */
export const MAIN_GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';

/** First date from which every date has blocks. */
export const FIRST_WHOLE_DATE = '2009-01-09';

/** Blocks that must follow the last block of a day before the day counts as settled. */
export const CONFIRMATIONS = 6;

/** The definitions of the values, as the query in `schemas/sql` has them. */
export const BITCOIN_DEFINITIONS: readonly string[] = [
  'A day has the blocks whose header time is in [00:00, 24:00) UTC. It is given when six blocks follow its last one.',
  'tx_count, fees_total, fee_median: all transactions but the coinbase.',
  'active_addresses: distinct addresses of inputs and outputs; an output without an address is not counted.',
  'issuance: outputs of the coinbase transactions, minus the fees.',
  'block_count, block_size, block_weight: of all blocks of the day.',
  'difficulty, hash_rate: from the field bits of the headers; hash_rate is 2^32 hashes per difficulty and block over a day.',
];
