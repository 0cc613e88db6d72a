-- The graph of canonical pages and of translations, and whether the target says the same: a canonical page names no
-- other one, a translation links back. Needs --columns all --anchor-text.
WITH edge AS (
    SELECT DISTINCT
        target_uri AS page,
        CASE WHEN list_contains(rel, 'canonical') THEN 'canonical' ELSE lower(hreflang) END AS kind,
        regexp_replace(target, '#.*', '') AS target
    FROM 'links.parquet'
    WHERE element = 'link' AND target IS NOT NULL
        AND (list_contains(rel, 'canonical') OR list_contains(rel, 'alternate') AND hreflang IS NOT NULL)
)
SELECT
    page,
    kind,
    target,
    CASE kind
        WHEN 'canonical' THEN NOT EXISTS (
            FROM edge AS other WHERE other.page = edge.target AND other.kind = 'canonical' AND other.target <> other.page
        )
        ELSE EXISTS (
            FROM edge AS other WHERE other.page = edge.target AND other.kind <> 'canonical' AND other.target = edge.page
        )
    END AS agreed
FROM edge
ORDER BY page, kind, target;
