-- What links to other hosts say of their targets. Needs --columns all --anchor-text.
SELECT target, text, count(*) AS links, count(DISTINCT page_host) AS hosts
FROM 'links.parquet'
WHERE element = 'a' AND text <> '' AND page_host <> host
GROUP BY target, text
ORDER BY hosts DESC, links DESC, target, text;
