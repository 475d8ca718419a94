CREATE EXTERNAL TABLE IF NOT EXISTS btc_blocks (
  `number` bigint,
  `bits` string,
  `transaction_count` bigint,
  `size` bigint,
  `weight` bigint
)
PARTITIONED BY (`date` string)
STORED AS PARQUET
LOCATION 's3://aws-public-blockchain/v1.0/btc/blocks/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.date.type' = 'date',
  'projection.date.format' = 'yyyy-MM-dd',
  'projection.date.range' = '2009-01-03,NOW',
  'projection.date.interval' = '1',
  'projection.date.interval.unit' = 'DAYS'
)
