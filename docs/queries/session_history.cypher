// History of a session
// What ran, newest first, a page at a time: give the lowest seq of a page as $before for the next. There is no relation between
// EXECUTION and STEP; join by workflow and step. No row: nothing (more) ran, or the workflow keeps no history.
// :param session => '0199…';
// :param before => 1000000000;
// :param limit => 50;
MATCH (e:EXECUTION)
WHERE e.session = $session AND e.seq < $before
WITH e ORDER BY e.seq DESC LIMIT $limit
RETURN e.seq AS seq, e.step AS step, e.visit AS visit, e.attempt AS attempt, e.status AS status, e.function AS function,
       e.input AS input, e.output AS output, e.error AS error, e.paths AS paths, e.finished_at AS finished_at,
       duration.inSeconds(e.started_at, e.finished_at).milliseconds AS ms
ORDER BY seq DESC
