-- Files of the tree that no other file links to; the tables are those of broken_targets.sql.
WITH file AS (
    SELECT path, 'https://www.example.com/' || regexp_replace(path, '^site/', '') AS uri
    FROM read_csv('files.txt', columns = {'path': 'VARCHAR'}, header = false, delim = '\t', quote = '')
)
SELECT file.path
FROM file
ANTI JOIN 'links.parquet' AS link
    ON regexp_replace(link.target, '[?#].*', '') = file.uri AND link.path <> file.path
ORDER BY file.path;
