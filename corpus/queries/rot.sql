-- Targets that an earlier crawl has as pages and a later one has as errors (with their status) or not at all, by the
-- number of links to them in the later one. Needs --columns all, and the records of both crawls.
WITH earlier AS (
    SELECT DISTINCT target_uri AS uri FROM 'records-earlier.parquet' WHERE status < 400
), later AS (
    SELECT target_uri AS uri, min(status) AS status FROM 'records.parquet' WHERE status IS NOT NULL GROUP BY uri
)
SELECT uri, later.status, count(*) AS links, count(DISTINCT link.target_uri) AS pages
FROM 'links.parquet' AS link
JOIN earlier ON uri = regexp_replace(link.target, '#.*', '')
LEFT JOIN later USING (uri)
WHERE coalesce(later.status, 404) >= 400
GROUP BY uri, later.status
ORDER BY links DESC, uri;
