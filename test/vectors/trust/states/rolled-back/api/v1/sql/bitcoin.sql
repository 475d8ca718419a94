-- Transactions of a day.
SELECT count(*) AS tx_count FROM transactions;
