CREATE EXTERNAL TABLE IF NOT EXISTS eth_transactions (
  `from_address` string,
  `to_address` string,
  `receipt_status` bigint,
  `receipt_gas_used` bigint,
  `receipt_effective_gas_price` bigint
)
PARTITIONED BY (`date` string)
STORED AS PARQUET
LOCATION 's3://aws-public-blockchain/v1.0/eth/transactions/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.date.type' = 'date',
  'projection.date.format' = 'yyyy-MM-dd',
  'projection.date.range' = '2015-07-30,NOW',
  'projection.date.interval' = '1',
  'projection.date.interval.unit' = 'DAYS'
)
