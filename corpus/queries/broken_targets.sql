-- Links to what is no file of the tree: targets without a path.
--   uriscan --root site=https://www.example.com/ --format parquet -o links.parquet site
--   uriscan --files site > files.txt
WITH file AS (
    SELECT 'https://www.example.com/' || regexp_replace(path, '^site/', '') AS uri
    FROM read_csv('files.txt', columns = {'path': 'VARCHAR'}, header = false, delim = '\t', quote = '')
)
SELECT link.path, link.line, link.target
FROM 'links.parquet' AS link
ANTI JOIN file ON file.uri = regexp_replace(link.target, '[?#].*', '')
WHERE link.target LIKE 'https://www.example.com/%'
ORDER BY link.path, link.start;
