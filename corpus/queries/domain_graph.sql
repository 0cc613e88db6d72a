-- The graph of registered domains, without loops: pairs, and how many links and pages each has. Needs --columns all.
SELECT page_domain AS source, registered_domain AS target, count(*) AS links, count(DISTINCT target_uri) AS pages
FROM 'links.parquet'
WHERE page_domain <> registered_domain
GROUP BY ALL
ORDER BY ALL;
