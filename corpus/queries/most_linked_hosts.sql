-- The hosts that are linked most, and from how many documents. Needs --columns all.
SELECT host, count(*) AS links, count(DISTINCT (path, member)) AS documents
FROM 'links.parquet'
WHERE host IS NOT NULL
GROUP BY host
ORDER BY links DESC, host
LIMIT 20;
