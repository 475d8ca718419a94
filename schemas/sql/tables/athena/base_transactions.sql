CREATE EXTERNAL TABLE IF NOT EXISTS base_transactions (
  `from_address` string,
  `to_address` string,
  `status` decimal(38,0),
  `transaction_type` decimal(38,0),
  `gas_used` decimal(38,0),
  `effective_gas_price_gwei` double,
  `transaction_fee` double,
  `l1_fee` double
)
PARTITIONED BY (`date` string)
STORED AS PARQUET
LOCATION 's3://aws-public-blockchain/v1.1/sonarx/base/transactions/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.date.type' = 'date',
  'projection.date.format' = 'yyyy-MM-dd',
  'projection.date.range' = '2023-06-15,NOW',
  'projection.date.interval' = '1',
  'projection.date.interval.unit' = 'DAYS'
)
