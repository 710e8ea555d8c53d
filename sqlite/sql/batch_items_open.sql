-- A page of the items of a batch that are still to be done, in order.
-- ?1 batch, ?2 above, ?3 limit. No row means that there are none.
SELECT batch, n, session, step, visit, ask, outcome, error, response, would
FROM batch_item WHERE batch = ?1 AND n > ?2 AND outcome = 'open'
ORDER BY n LIMIT ?3;
