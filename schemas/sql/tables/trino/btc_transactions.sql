CREATE TABLE IF NOT EXISTS btc_transactions (
  "is_coinbase" boolean,
  "fee" double,
  "output_value" double,
  "inputs" array(row(address varchar)),
  "outputs" array(row(address varchar)),
  "date" varchar
)
WITH (
  external_location = 's3://aws-public-blockchain/v1.0/btc/transactions/',
  format = 'PARQUET',
  partitioned_by = ARRAY['date']
)
