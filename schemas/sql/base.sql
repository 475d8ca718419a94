-- The integers of each UTC day of Base, from the tables of its blocks and transactions. Amounts are in wei.
-- The text runs unchanged on DuckDB, Trino, ClickHouse, Spark, DataFusion, Polars and PostgreSQL; Athena is not tried. All columns
-- of the result are text: no quotient and no median, whose results differ between engines, and doubles become integers before
-- sums. ClickHouse needs the settings cast_keep_nullable = 1 and join_use_nulls = 1.

WITH

block_sums AS (
  SELECT
    date,
    count(*) AS block_count,
    count(DISTINCT CAST(block_number AS DECIMAL(18,0))) AS block_numbers,
    min(CAST(block_number AS DECIMAL(18,0))) AS first_block,
    max(CAST(block_number AS DECIMAL(18,0))) AS last_block,
    sum(CAST(transaction_count AS DECIMAL(18,0))) AS block_tx_count,
    CASE WHEN count(gas_used) = count(*) THEN sum(CAST(gas_used AS DECIMAL(18,0))) END AS gas_used,
    CASE WHEN count(gas_limit) = count(*) THEN sum(CAST(gas_limit AS DECIMAL(18,0))) END AS gas_limit_sum
  FROM base_blocks
  WHERE date BETWEEN '${first}' AND '${last}'
  GROUP BY date
),

-- Type 126 (0x7e) is the protocol's own: such transactions are not counted.
-- The divisors are columns, because Polars multiplies by the reciprocal of a literal.
stated AS (
  SELECT
    date,
    transaction_type IS DISTINCT FROM 126 AS is_counted,
    transaction_type IS NULL AS lacks_type,
    status IS NULL AS lacks_status,
    coalesce(status = 0, false) AS is_failed,
    CAST(gas_used AS DECIMAL(18,0)) AS gas,
    effective_gas_price_gwei AS gwei,
    effective_gas_price_gwei - effective_gas_price_gwei + 1e9 AS wei_per_gwei,
    l1_fee AS eth,
    l1_fee - l1_fee + 1e18 AS wei_per_eth,
    transaction_fee * 1e18 AS stated_fee
  FROM base_transactions
  WHERE date BETWEEN '${first}' AND '${last}'
),

-- The price in gwei and the fee for Ethereum in ETH are doubles, each the quotient of an amount in wei. Above 2^51 wei, a
-- product of doubles may be one wei off. So the amount is the one whose quotient is the double. Above 2^52 wei, two amounts
-- may have the same double: then one that ends in 0 is preferred. A fraction of a wei is rounded.
-- The types of gas and price make their product a DECIMAL(38,0), which holds every fee.
amounts AS (
  SELECT
    date,
    is_counted,
    lacks_type,
    lacks_status,
    is_failed,
    gas,
    CAST(CAST(CASE
      WHEN floor(gwei * 1e8 + 5e-1) * 1e1 / wei_per_gwei = gwei THEN floor(gwei * 1e8 + 5e-1) * 1e1
      WHEN floor(gwei * 1e9) / wei_per_gwei = gwei THEN floor(gwei * 1e9)
      ELSE floor(gwei * 1e9 + 5e-1)
    END AS BIGINT) AS DECIMAL(20,0)) AS gas_price,
    CAST(CAST(CASE
      WHEN floor(eth * 1e17 + 5e-1) * 1e1 / wei_per_eth = eth THEN floor(eth * 1e17 + 5e-1) * 1e1
      WHEN floor(eth * 1e18) / wei_per_eth = eth THEN floor(eth * 1e18)
      ELSE floor(eth * 1e18 + 5e-1)
    END AS BIGINT) AS DECIMAL(38,0)) AS l1_fee,
    stated_fee
  FROM stated
),

exact_fees AS (
  SELECT
    date,
    is_counted,
    lacks_type,
    lacks_status,
    is_failed,
    gas,
    gas * gas_price AS l2_fee,
    CAST(gas * gas_price + coalesce(l1_fee, 0) AS DECIMAL(38,0)) AS fee,
    (gas * gas_price + coalesce(l1_fee, 0)) * 1e0 AS rough_fee,
    stated_fee
  FROM amounts
),

-- Fees in groups, in the order of the fees: a group has the fees whose fourth roots begin with the same integer.
-- So only the fees of the group in the middle need to be sorted for the median.
-- A fee is confirmed if it is the fee that the table itself states, but for the rounding of a double.
fees AS (
  SELECT
    date,
    is_counted,
    lacks_type,
    lacks_status,
    is_failed,
    coalesce(abs(stated_fee - rough_fee) <= 1e-9 * rough_fee + 1, false) AS is_confirmed,
    gas,
    l2_fee,
    fee,
    CAST(floor(sqrt(sqrt(rough_fee))) AS BIGINT) AS fee_group
  FROM exact_fees
),

fee_groups AS (
  SELECT
    date,
    is_counted,
    fee_group,
    count(*) AS transactions,
    sum(CASE WHEN is_failed THEN 1 ELSE 0 END) AS failed,
    sum(CASE WHEN lacks_status THEN 1 ELSE 0 END) AS status_missing,
    sum(CASE WHEN lacks_type THEN 1 ELSE 0 END) AS type_missing,
    sum(CASE WHEN NOT is_confirmed THEN 1 ELSE 0 END) AS unconfirmed,
    sum(gas) AS gas,
    sum(l2_fee) AS l2_fees,
    sum(fee) AS fees
  FROM fees
  GROUP BY date, is_counted, fee_group
),

transaction_sums AS (
  SELECT
    date,
    sum(transactions) AS all_rows,
    sum(gas) AS all_gas,
    sum(CASE WHEN is_counted THEN transactions ELSE 0 END) AS tx_count,
    sum(CASE WHEN is_counted THEN failed ELSE 0 END) AS failed_tx_count,
    sum(CASE WHEN is_counted THEN status_missing ELSE 0 END) AS status_missing,
    sum(type_missing) AS type_missing,
    sum(CASE WHEN is_counted AND fee_group IS NULL THEN transactions ELSE 0 END) AS fee_missing,
    sum(CASE WHEN is_counted THEN unconfirmed ELSE 0 END) AS fee_disagrees,
    sum(CASE WHEN is_counted THEN gas ELSE 0 END) AS tx_gas_used,
    sum(CASE WHEN is_counted THEN l2_fees ELSE 0 END) AS l2_fees,
    sum(CASE WHEN is_counted THEN fees ELSE 0 END) AS fees
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
  WHERE is_counted AND fee_group IS NOT NULL
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
  WHERE is_counted
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

-- Senders and recipients of counted transactions. A transaction that creates a contract has no recipient.
addresses AS (
  SELECT date, from_address AS address
  FROM base_transactions
  WHERE date BETWEEN '${first}' AND '${last}'
    AND transaction_type IS DISTINCT FROM 126
  UNION ALL
  SELECT date, to_address
  FROM base_transactions
  WHERE date BETWEEN '${first}' AND '${last}'
    AND transaction_type IS DISTINCT FROM 126
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
  CAST(coalesce(failed_tx_count, 0) AS VARCHAR(100)) AS failed_tx_count,
  CAST(coalesce(status_missing, 0) AS VARCHAR(100)) AS status_missing,
  CAST(coalesce(type_missing, 0) AS VARCHAR(100)) AS type_missing,
  CAST(coalesce(fee_missing, 0) AS VARCHAR(100)) AS fee_missing,
  CAST(coalesce(fee_disagrees, 0) AS VARCHAR(100)) AS fee_disagrees,
  CAST(coalesce(active_addresses, 0) AS VARCHAR(100)) AS active_addresses,
  CAST(coalesce(tx_gas_used, 0) AS VARCHAR(100)) AS tx_gas_used,
  CAST(coalesce(l2_fees, 0) AS VARCHAR(100)) AS l2_fees,
  CAST(coalesce(fees, 0) AS VARCHAR(100)) AS fees,
  CAST(fee_median_x2 AS VARCHAR(100)) AS fee_median_x2
FROM block_sums
LEFT JOIN transaction_sums ON transaction_sums.date = block_sums.date
LEFT JOIN medians ON medians.date = block_sums.date
LEFT JOIN address_counts ON address_counts.date = block_sums.date
ORDER BY 1
