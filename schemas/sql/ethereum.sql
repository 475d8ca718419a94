-- The integers of each UTC day of Ethereum, from the tables of its blocks and transactions. Amounts are in wei.
-- The text runs unchanged on DuckDB, Trino, ClickHouse, Spark, DataFusion, Polars and PostgreSQL; Athena is not tried. All columns
-- of the result are text: no quotient and no median, whose results differ between engines, and doubles become integers before
-- sums. ClickHouse needs the settings cast_keep_nullable = 1 and join_use_nulls = 1.

WITH

block_sums AS (
  SELECT
    date,
    count(*) AS block_count,
    count(DISTINCT CAST(number AS DECIMAL(18,0))) AS block_numbers,
    min(CAST(number AS DECIMAL(18,0))) AS first_block,
    max(CAST(number AS DECIMAL(18,0))) AS last_block,
    sum(CAST(transaction_count AS DECIMAL(18,0))) AS block_tx_count,
    CASE WHEN count(gas_used) = count(*) THEN sum(CAST(gas_used AS DECIMAL(18,0))) END AS gas_used,
    CASE WHEN count(gas_limit) = count(*) THEN sum(CAST(gas_limit AS DECIMAL(18,0))) END AS gas_limit_sum
  FROM eth_blocks
  WHERE date BETWEEN '${first}' AND '${last}'
  GROUP BY date
),

-- The types of gas and price make their product a DECIMAL(38,0), which holds every fee.
amounts AS (
  SELECT
    date,
    receipt_status AS status,
    CAST(receipt_gas_used AS DECIMAL(18,0)) AS gas,
    CAST(receipt_effective_gas_price AS DECIMAL(20,0)) AS gas_price
  FROM eth_transactions
  WHERE date BETWEEN '${first}' AND '${last}'
),

-- Fees in groups, in the order of the fees: a group has the fees whose fourth roots begin with the same integer.
-- So only the fees of the group in the middle need to be sorted for the median.
fees AS (
  SELECT
    date,
    status,
    gas,
    gas * gas_price AS fee,
    CAST(floor(sqrt(sqrt(gas * gas_price * 1e0))) AS BIGINT) AS fee_group
  FROM amounts
),

-- Receipts have a status since Byzantium, on 2017-10-16. A day with receipts from before has no failed_tx_count.
fee_groups AS (
  SELECT
    date,
    fee_group,
    count(*) AS transactions,
    sum(CASE WHEN status = 0 THEN 1 ELSE 0 END) AS failed,
    sum(CASE WHEN status IS NULL AND date > '2017-10-16' THEN 1 ELSE 0 END) AS status_missing,
    sum(CASE WHEN status IS NULL AND date <= '2017-10-16' THEN 1 ELSE 0 END) AS before_status,
    sum(gas) AS gas,
    sum(fee) AS fees
  FROM fees
  GROUP BY date, fee_group
),

transaction_sums AS (
  SELECT
    date,
    sum(transactions) AS all_rows,
    sum(gas) AS all_gas,
    sum(transactions) AS tx_count,
    sum(failed) AS failed_tx_count,
    sum(status_missing) AS status_missing,
    sum(before_status) AS before_status,
    sum(CASE WHEN fee_group IS NULL THEN transactions ELSE 0 END) AS fee_missing,
    sum(gas) AS tx_gas_used,
    sum(fees) AS fees
  FROM fee_groups
  GROUP BY date
),

-- The number of fees up to the end of each group, and of the day.
group_ends AS (
  SELECT
    date,
    fee_group,
    transactions,
    sum(transactions) OVER (PARTITION BY date ORDER BY fee_group) AS last_rank,
    sum(transactions) OVER (PARTITION BY date) AS fee_count
  FROM fee_groups
  WHERE fee_group IS NOT NULL
),

-- The one or two groups that have a fee in the middle: its rank is half of the number of fees, or the next.
middle_groups AS (
  SELECT
    date,
    fee_group,
    last_rank - transactions AS rank_before,
    fee_count
  FROM group_ends
  WHERE 2 * last_rank >= fee_count AND 2 * (last_rank - transactions + 1) <= fee_count + 2
),

ranked_fees AS (
  SELECT
    fees.date,
    fee,
    fee_count,
    rank_before + row_number() OVER (PARTITION BY fees.date, fees.fee_group ORDER BY fee) AS fee_rank
  FROM fees
  JOIN middle_groups
    ON middle_groups.date = fees.date
    AND middle_groups.fee_group = fees.fee_group
),

-- Twice the median, which is an integer for an even number of fees too.
medians AS (
  SELECT
    date,
    min(fee) + max(fee) AS fee_median_x2
  FROM ranked_fees
  WHERE 2 * fee_rank BETWEEN fee_count AND fee_count + 2
  GROUP BY date
),

-- Senders and recipients. A transaction that creates a contract has no recipient.
addresses AS (
  SELECT date, from_address AS address
  FROM eth_transactions
  WHERE date BETWEEN '${first}' AND '${last}'
  UNION ALL
  SELECT date, to_address
  FROM eth_transactions
  WHERE date BETWEEN '${first}' AND '${last}'
),

address_counts AS (
  SELECT
    date,
    count(DISTINCT address) AS active_addresses
  FROM addresses
  GROUP BY date
)

SELECT
  CAST(block_sums.date AS VARCHAR(100)) AS date,
  CAST(block_count AS VARCHAR(100)) AS block_count,
  CAST(block_numbers AS VARCHAR(100)) AS block_numbers,
  CAST(first_block AS VARCHAR(100)) AS first_block,
  CAST(last_block AS VARCHAR(100)) AS last_block,
  CAST(block_tx_count AS VARCHAR(100)) AS block_tx_count,
  CAST(gas_used AS VARCHAR(100)) AS gas_used,
  CAST(gas_limit_sum AS VARCHAR(100)) AS gas_limit_sum,
  CAST(coalesce(all_rows, 0) AS VARCHAR(100)) AS all_rows,
  CAST(coalesce(all_gas, 0) AS VARCHAR(100)) AS all_gas,
  CAST(coalesce(tx_count, 0) AS VARCHAR(100)) AS tx_count,
  CAST(CASE WHEN coalesce(before_status, 0) = 0 THEN coalesce(failed_tx_count, 0) END AS VARCHAR(100)) AS failed_tx_count,
  CAST(coalesce(status_missing, 0) AS VARCHAR(100)) AS status_missing,
  CAST(coalesce(before_status, 0) AS VARCHAR(100)) AS before_status,
  CAST(coalesce(fee_missing, 0) AS VARCHAR(100)) AS fee_missing,
  CAST(coalesce(active_addresses, 0) AS VARCHAR(100)) AS active_addresses,
  CAST(coalesce(tx_gas_used, 0) AS VARCHAR(100)) AS tx_gas_used,
  CAST(coalesce(fees, 0) AS VARCHAR(100)) AS fees,
  CAST(fee_median_x2 AS VARCHAR(100)) AS fee_median_x2
FROM block_sums
LEFT JOIN transaction_sums ON transaction_sums.date = block_sums.date
LEFT JOIN medians ON medians.date = block_sums.date
LEFT JOIN address_counts ON address_counts.date = block_sums.date
ORDER BY 1
