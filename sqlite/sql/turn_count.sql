-- How many sessions of a lane have their turn. ?1 lane, ?2 now.
SELECT count(*) FROM turn JOIN session ON session.id = turn.session
WHERE turn.lane = ?1 AND turn.waiting = 0 AND (session.lease <> '' OR session.due_at <= ?2);
