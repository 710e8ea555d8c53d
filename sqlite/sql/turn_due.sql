-- Due sessions of limited workflows, in the order of the list. has_turn is null for one that has none, stopped tells of a cancel or pause in the inbox.
-- ?1 now, ?2 a JSON list of workflows, ?3 one of ids to leave out, ?4 limit. No row means nothing is due.
SELECT session.id, session.workflow, session.status, session.version, session.root, session.due_at, ifnull(session.concurrency_key, ''), turn.waiting,
  EXISTS (SELECT 1 FROM request WHERE request.session = session.id AND applied = 0 AND kind IN ('cancel', 'pause'))
FROM session JOIN json_each(?2) AS w ON w.value = session.workflow LEFT JOIN turn ON turn.session = session.id
WHERE session.due_at <= ?1 AND (lease = '' OR ifnull(lease_until, 0) <= ?1) AND session.id NOT IN (SELECT value FROM json_each(?3))
ORDER BY w.key, session.due_at, session.id LIMIT ?4;
