-- The first sessions in the queue of a lane, and whether they are still there. ?1 lane, ?2 limit.
SELECT session, fresh, EXISTS (SELECT 1 FROM session WHERE session.id = turn.session) FROM turn
WHERE lane = ?1 AND waiting = 1 ORDER BY place, session LIMIT ?2;
