CREATE TABLE IF NOT EXISTS arbitrum_blocks (
  "block_number" decimal(38,0),
  "transaction_count" decimal(38,0),
  "gas_used" decimal(38,0),
  "date" varchar
)
WITH (
  external_location = 's3://aws-public-blockchain/v1.1/sonarx/arbitrum/blocks/',
  format = 'PARQUET',
  partitioned_by = ARRAY['date']
)
