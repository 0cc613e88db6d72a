-- Links of messages by month in UTC and mailing list, and how many messages have any. Needs --columns mail (or all).
SELECT
    date_trunc('month', message_date AT TIME ZONE 'UTC') AS month,
    list_id,
    count(*) AS links,
    count(DISTINCT message_id) AS messages
FROM 'links.parquet'
WHERE message_id IS NOT NULL
GROUP BY month, list_id
ORDER BY month, list_id;
