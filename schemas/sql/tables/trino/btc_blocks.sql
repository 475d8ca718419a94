CREATE TABLE IF NOT EXISTS btc_blocks (
  "number" bigint,
  "bits" varchar,
  "transaction_count" bigint,
  "size" bigint,
  "weight" bigint,
  "date" varchar
)
WITH (
  external_location = 's3://aws-public-blockchain/v1.0/btc/blocks/',
  format = 'PARQUET',
  partitioned_by = ARRAY['date']
)
