-- The integers of each UTC day of Bitcoin, from the tables of its blocks and transactions. Amounts are in satoshi.
-- A day on which the difficulty changed has a row for each difficulty, that is for each value of bits in its headers.
-- The text runs unchanged on DuckDB, Trino, ClickHouse, Spark, DataFusion, Polars and PostgreSQL; Athena is not tried. All columns
-- of the result are text: no quotient and no median, whose results differ between engines, and doubles become integers before
-- sums. ClickHouse needs the settings cast_keep_nullable = 1 and join_use_nulls = 1.

WITH

block_sums AS (
  SELECT
    date,
    bits,
    count(*) AS block_count,
    count(DISTINCT CAST(number AS DECIMAL(18,0))) AS block_numbers,
    min(CAST(number AS DECIMAL(18,0))) AS first_block,
    max(CAST(number AS DECIMAL(18,0))) AS last_block,
    sum(CAST(transaction_count AS DECIMAL(18,0))) AS block_tx_count,
    CASE WHEN count(size) = count(*) THEN sum(CAST(size AS DECIMAL(18,0))) END AS block_size,
    CASE WHEN count(weight) = count(*) THEN sum(CAST(weight AS DECIMAL(18,0))) END AS block_weight
  FROM btc_blocks
  WHERE date BETWEEN '${first}' AND '${last}'
  GROUP BY date, bits
),

-- Amounts in BTC are doubles: the nearest satoshi restores them.
amounts AS (
  SELECT
    date,
    coalesce(is_coinbase, false) AS is_coinbase,
    CAST(floor(fee * 1e8 + 5e-1) AS BIGINT) AS fee,
    CAST(floor(output_value * 1e8 + 5e-1) AS BIGINT) AS output
  FROM btc_transactions
  WHERE date BETWEEN '${first}' AND '${last}'
),

-- Many transactions pay the same fee.
fee_groups AS (
  SELECT
    date,
    is_coinbase,
    fee,
    count(*) AS transactions,
    sum(CASE WHEN output IS NULL THEN 1 ELSE 0 END) AS output_missing,
    sum(CAST(output AS DECIMAL(38,0))) AS paid,
    sum(CAST(fee AS DECIMAL(38,0))) AS fees
  FROM amounts
  GROUP BY date, is_coinbase, fee
),

transaction_sums AS (
  SELECT
    date,
    sum(transactions) AS all_rows,
    sum(CASE WHEN is_coinbase THEN transactions ELSE 0 END) AS coinbase_count,
    sum(CASE WHEN is_coinbase THEN output_missing ELSE 0 END) AS output_missing,
    sum(CASE WHEN is_coinbase THEN paid ELSE 0 END) AS coinbase_output,
    sum(CASE WHEN is_coinbase THEN 0 ELSE transactions END) AS tx_count,
    sum(CASE WHEN NOT is_coinbase AND fee IS NULL THEN transactions ELSE 0 END) AS fee_missing,
    sum(CASE WHEN is_coinbase THEN 0 ELSE fees END) AS fees
  FROM fee_groups
  GROUP BY date
),

-- The number of fees up to the end of each group, and of the day.
group_ends AS (
  SELECT
    date,
    fee,
    transactions,
    sum(transactions) OVER (PARTITION BY date ORDER BY fee) AS last_rank,
    sum(transactions) OVER (PARTITION BY date) AS fee_count
  FROM fee_groups
  WHERE NOT is_coinbase AND fee IS NOT NULL
),

-- Twice the median, which is an integer for an even number of fees too: the sum of the one or two fees in the middle,
-- whose ranks are half of the number of fees, or the next.
medians AS (
  SELECT
    date,
    min(fee) + max(fee) AS fee_median_x2
  FROM group_ends
  WHERE 2 * last_rank >= fee_count AND 2 * (last_rank - transactions + 1) <= fee_count + 2
  GROUP BY date
),

-- The addresses of inputs and outputs. The view unnests arrays, for which engines have different functions.
address_counts AS (
  SELECT
    date,
    count(DISTINCT address) AS active_addresses
  FROM btc_addresses
  WHERE date BETWEEN '${first}' AND '${last}'
  GROUP BY date
)

SELECT
  CAST(block_sums.date AS VARCHAR(100)) AS date,
  CAST(bits AS VARCHAR(100)) AS bits,
  CAST(block_count AS VARCHAR(100)) AS block_count,
  CAST(block_numbers AS VARCHAR(100)) AS block_numbers,
  CAST(first_block AS VARCHAR(100)) AS first_block,
  CAST(last_block AS VARCHAR(100)) AS last_block,
  CAST(block_tx_count AS VARCHAR(100)) AS block_tx_count,
  CAST(block_size AS VARCHAR(100)) AS block_size,
  CAST(block_weight AS VARCHAR(100)) AS block_weight,
  CAST(coalesce(all_rows, 0) AS VARCHAR(100)) AS all_rows,
  CAST(coalesce(coinbase_count, 0) AS VARCHAR(100)) AS coinbase_count,
  CAST(coalesce(output_missing, 0) AS VARCHAR(100)) AS output_missing,
  CAST(coalesce(coinbase_output, 0) AS VARCHAR(100)) AS coinbase_output,
  CAST(coalesce(tx_count, 0) AS VARCHAR(100)) AS tx_count,
  CAST(coalesce(fee_missing, 0) AS VARCHAR(100)) AS fee_missing,
  CAST(coalesce(active_addresses, 0) AS VARCHAR(100)) AS active_addresses,
  CAST(coalesce(fees, 0) AS VARCHAR(100)) AS fees,
  CAST(fee_median_x2 AS VARCHAR(100)) AS fee_median_x2
FROM block_sums
LEFT JOIN transaction_sums ON transaction_sums.date = block_sums.date
LEFT JOIN medians ON medians.date = block_sums.date
LEFT JOIN address_counts ON address_counts.date = block_sums.date
ORDER BY 1, 2
