// sessions_adopt.cypher: gives sessions made by hand or by LUNA what lists look for. Returns how many.
// may scan: an index cannot find what is missing; asked for by people only.
MATCH (s:SESSION)
WHERE s.id IS NOT NULL AND (s.created_at IS NULL OR s.workflow IS NULL OR s.status IS NULL)
SET s.lock = 0
WITH s, datetime.realtime() AS now
SET s.created_at = coalesce(s.created_at, now), s.updated_at = coalesce(s.updated_at, now),
    s.workflow = coalesce(s.workflow, 'default'), s.status = coalesce(s.status, 'active'),
    s.version = coalesce(s.version, 0), s.root = coalesce(s.root, s.id)
RETURN count(s) AS adopted
