CREATE TABLE IF NOT EXISTS eth_blocks (
  "number" bigint,
  "transaction_count" bigint,
  "gas_used" bigint,
  "gas_limit" bigint,
  "date" varchar
)
WITH (
  external_location = 's3://aws-public-blockchain/v1.0/eth/blocks/',
  format = 'PARQUET',
  partitioned_by = ARRAY['date']
)
