CREATE TABLE IF NOT EXISTS eth_transactions (
  "from_address" varchar,
  "to_address" varchar,
  "receipt_status" bigint,
  "receipt_gas_used" bigint,
  "receipt_effective_gas_price" bigint,
  "date" varchar
)
WITH (
  external_location = 's3://aws-public-blockchain/v1.0/eth/transactions/',
  format = 'PARQUET',
  partitioned_by = ARRAY['date']
)
