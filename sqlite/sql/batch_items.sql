-- A page of a batch's items, in order, those of one outcome or all.
-- ?1 batch, ?2 above, ?3 limit, ?4 outcome, empty for all. No row means that there are none.
SELECT batch, n, session, step, visit, ask, outcome, error, response, would
FROM batch_item WHERE batch = ?1 AND n > ?2 AND (?4 = '' OR outcome = ?4)
ORDER BY n LIMIT ?3;
