-- The graph of documents: how many others each one links to, and how many link to it; the table is that of
-- broken_targets.sql.
WITH edge AS (
    SELECT DISTINCT
        'https://www.example.com/' || regexp_replace(path, '^site/', '') AS source,
        regexp_replace(target, '[?#].*', '') AS target
    FROM 'links.parquet'
    WHERE target IS NOT NULL
), leaving AS (
    SELECT source AS uri, count(*) AS degree FROM edge WHERE source <> target GROUP BY source
), arriving AS (
    SELECT target AS uri, count(*) AS degree FROM edge WHERE source <> target GROUP BY target
)
SELECT uri, coalesce(leaving.degree, 0) AS links_out, coalesce(arriving.degree, 0) AS links_in
FROM leaving FULL JOIN arriving USING (uri)
ORDER BY links_in DESC, links_out DESC, uri;
