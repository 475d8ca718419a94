CREATE EXTERNAL TABLE IF NOT EXISTS base_blocks (
  `block_number` decimal(38,0),
  `transaction_count` decimal(38,0),
  `gas_used` decimal(38,0),
  `gas_limit` decimal(38,0)
)
PARTITIONED BY (`date` string)
STORED AS PARQUET
LOCATION 's3://aws-public-blockchain/v1.1/sonarx/base/blocks/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.date.type' = 'date',
  'projection.date.format' = 'yyyy-MM-dd',
  'projection.date.range' = '2023-06-15,NOW',
  'projection.date.interval' = '1',
  'projection.date.interval.unit' = 'DAYS'
)
