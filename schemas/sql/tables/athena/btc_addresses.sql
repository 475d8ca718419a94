CREATE OR REPLACE VIEW btc_addresses AS
SELECT "date", address
FROM btc_transactions
CROSS JOIN UNNEST(transform(inputs, input -> input.address)) AS spent (address)
UNION ALL
SELECT "date", address
FROM btc_transactions
CROSS JOIN UNNEST(transform(outputs, output -> output.address)) AS paid (address)
