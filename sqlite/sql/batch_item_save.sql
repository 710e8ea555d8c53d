-- Writes what an open item is pinned to and what became of it. ?1 batch, ?2 n, ?3 step,
-- ?4 visit, ?5 ask, ?6 outcome, ?7 error, ?8 would. One that is not open any more stays.
UPDATE batch_item SET step = ?3, visit = ?4, ask = ?5, outcome = ?6, error = ?7, would = ?8
WHERE batch = ?1 AND n = ?2 AND outcome = 'open';
