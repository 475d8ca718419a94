-- The integers of each UTC day of Base that its blocks alone give. The table of transactions is not read.
-- The text runs unchanged on DuckDB, Trino, ClickHouse, Spark, DataFusion, Polars and PostgreSQL; Athena is not tried. All columns
-- of the result are text: no quotient, whose results differ between engines. ClickHouse needs the setting
-- cast_keep_nullable = 1.

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
)

SELECT
  CAST(date AS VARCHAR(100)) AS date,
  CAST(block_count AS VARCHAR(100)) AS block_count,
  CAST(block_numbers AS VARCHAR(100)) AS block_numbers,
  CAST(first_block AS VARCHAR(100)) AS first_block,
  CAST(last_block AS VARCHAR(100)) AS last_block,
  CAST(block_tx_count AS VARCHAR(100)) AS block_tx_count,
  CAST(gas_used AS VARCHAR(100)) AS gas_used,
  CAST(gas_limit_sum AS VARCHAR(100)) AS gas_limit_sum
FROM block_sums
ORDER BY 1
