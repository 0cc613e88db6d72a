-- Links to pages of the same host that the crawl has not, or has as an error. Needs --columns all, and the records:
--   uriscan records --format parquet -o records.parquet crawl.warc.gz
WITH page AS (
    SELECT DISTINCT target_uri AS uri FROM 'records.parquet' WHERE coalesce(status, 200) < 400
)
SELECT link.target_uri AS page, link.target, count(*) AS links
FROM 'links.parquet' AS link
ANTI JOIN page ON page.uri = regexp_replace(link.target, '#.*', '')
WHERE link.host = link.page_host AND link.element IN ('a', 'area')
GROUP BY ALL
ORDER BY link.target_uri, link.target;
