-- Links, registered domains and hosts by top-level domain. Needs --columns all.
SELECT
    split_part(host_rev, '.', 1) AS tld,
    count(*) AS links,
    count(DISTINCT registered_domain) AS domains,
    count(DISTINCT host) AS hosts
FROM 'links.parquet'
WHERE registered_domain IS NOT NULL
GROUP BY tld
ORDER BY links DESC, tld;
