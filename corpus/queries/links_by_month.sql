-- Links by month in UTC, and how many messages have any. Needs --columns mail (or all).
SELECT date_trunc('month', message_date AT TIME ZONE 'UTC') AS month, count(*) AS links, count(DISTINCT message_id) AS messages
FROM 'links.parquet'
WHERE message_id IS NOT NULL
GROUP BY month
ORDER BY month;
