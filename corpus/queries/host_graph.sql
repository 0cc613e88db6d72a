-- The graph of hosts, without loops: pairs and how many links each has. Needs --columns all.
SELECT page_host_rev AS source, host_rev AS target, count(*) AS links
FROM 'links.parquet'
WHERE page_host_rev <> host_rev
GROUP BY ALL
ORDER BY ALL;
