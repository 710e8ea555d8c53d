// audit_forget.cypher: removes at most $limit entries that are older than $until, and returns how many.
MATCH (a:AUDIT)
WHERE a.at < $until
WITH a LIMIT $limit
DETACH DELETE a
RETURN count(*) AS removed
