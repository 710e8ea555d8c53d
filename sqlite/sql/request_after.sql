-- Requests above a number, in order, applied or not, for a JSON list of [session, number].
-- ?1 the list. No row for a session means that nothing came.
SELECT r.session, r.n, r.key, r.target, r.kind, r.step, r.visit, r.ask, r.body, r.body_hash, r.by, r.at, r.applied, r.outcome
FROM json_each(?1) AS wanted CROSS JOIN request AS r ON r.session = wanted.value ->> 0 AND r.n > wanted.value ->> 1
ORDER BY r.session, r.n;
