CREATE TABLE IF NOT EXISTS arbitrum_transactions (
  "from_address" varchar,
  "to_address" varchar,
  "status" decimal(38,0),
  "transaction_type" decimal(38,0),
  "gas_used" decimal(38,0),
  "effective_gas_price_gwei" double,
  "transaction_fee" double,
  "date" varchar
)
WITH (
  external_location = 's3://aws-public-blockchain/v1.1/sonarx/arbitrum/transactions/',
  format = 'PARQUET',
  partitioned_by = ARRAY['date']
)
