-- Removes the turns of a lane that are over. ?1 lane, ?2 now.
DELETE FROM turn WHERE lane = ?1 AND waiting = 0 AND NOT EXISTS (
  SELECT 1 FROM session WHERE session.id = turn.session AND (session.lease <> '' OR session.due_at <= ?2));
