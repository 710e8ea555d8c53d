-- What a session in a queue waits for. ?1 session. No row means that it is in none.
SELECT lane.id, lane.workflow, lane.key, lane.next_at, t.since,
  (SELECT count(*) FROM turn AS o WHERE o.lane = t.lane AND o.waiting = 1 AND (o.place, o.session) < (t.place, t.session))
FROM turn AS t JOIN lane ON lane.id = t.lane WHERE t.session = ?1 AND t.waiting = 1;
