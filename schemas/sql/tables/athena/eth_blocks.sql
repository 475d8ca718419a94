CREATE EXTERNAL TABLE IF NOT EXISTS eth_blocks (
  `number` bigint,
  `transaction_count` bigint,
  `gas_used` bigint,
  `gas_limit` bigint
)
PARTITIONED BY (`date` string)
STORED AS PARQUET
LOCATION 's3://aws-public-blockchain/v1.0/eth/blocks/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.date.type' = 'date',
  'projection.date.format' = 'yyyy-MM-dd',
  'projection.date.range' = '2015-07-30,NOW',
  'projection.date.interval' = '1',
  'projection.date.interval.unit' = 'DAYS'
)
