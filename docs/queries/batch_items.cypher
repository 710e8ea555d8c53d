// The items of a batch
// Items of one outcome (open, done, failed), in order, with what each was pinned to and what went wrong. No row: none has it.
// :param batch => '0199…';
// :param outcome => 'failed';
// :param limit => 100;
MATCH (i:BATCH_ITEM)
WHERE i.batch = $batch AND i.n > 0 AND i.outcome = $outcome
WITH i ORDER BY i.batch, i.n LIMIT $limit
RETURN i.n AS n, i.session AS session, i.step AS step, i.visit AS visit, i.ask AS ask, i.response AS response, i.error AS error, i.would AS would
ORDER BY n
