-- The graph of hosts: to how many others each one links, and how many link to it. Needs --columns all.
WITH edge AS (
    SELECT DISTINCT page_host AS source, host AS target
    FROM 'links.parquet'
    WHERE page_host <> host
)
SELECT host, count(*) FILTER (is_source) AS links_out, count(*) FILTER (NOT is_source) AS links_in
FROM (SELECT source AS host, true AS is_source FROM edge UNION ALL SELECT target, false FROM edge)
GROUP BY host
ORDER BY links_in DESC, links_out DESC, host;
