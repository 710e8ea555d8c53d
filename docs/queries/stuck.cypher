// Why is this session stuck
// What the session waits for, a line for each thing: its status, who holds it, what is due, what its inbox holds, each step's status,
// what references lack, and the newest visits with their errors and how their paths were judged. Statuses are cut out of the state's
// text, which works for text that an engine wrote; a state typed by hand shows them after its next checkpoint. `session show` and
// the API explain more: they judge conditions anew. No row: there is no such session.
// :param session => '0199…';
// :param newest => 5;
MATCH (s:SESSION {id: $session})
WITH s, split(split(coalesce(s.state, ''), '"last_evaluated":')[0], '{"status":"') AS cuts,
     split(last(split(coalesce(s.state, ''), ',"engine":{')), '"missing":[') AS lacks
CALL (s) {
  MATCH (e:EXECUTION) WHERE e.session = s.id AND e.seq > 0
  WITH e ORDER BY e.seq DESC LIMIT $newest
  RETURN collect(['visit ' + e.seq + ': ' + e.step, e.status, coalesce(e.error, e.paths), e.finished_at]) AS ran
}
CALL (s) {
  MATCH (q:REQUEST) WHERE q.unapplied = s.id
  WITH q ORDER BY q.n
  RETURN collect(['request ' + q.n, 'not applied', q.kind + coalesce(' ' + q.step, ''), q.at]) AS inbox
}
UNWIND [['session', coalesce(s.status, 'not adopted'), 'workflow ' + coalesce(s.workflow, 'default') + ', version ' + coalesce(s.version, 0), s.updated_at]]
  + CASE WHEN s.lease IS NULL THEN [] ELSE [['lease', CASE WHEN s.lease_until > datetime() THEN 'held' ELSE 'run out' END, s.lease_owner, s.lease_until]] END
  + CASE WHEN s.due_at IS NULL THEN [] ELSE [['due', CASE WHEN s.due_at > datetime() THEN 'later' ELSE 'now: an engine should take it up' END, null, s.due_at]] END
  + inbox
  + CASE WHEN s.awaiting IS NULL THEN [] ELSE [['questions', 'open', s.awaiting, s.awaiting_since]] END
  + [i IN range(1, size(cuts) - 1) | ['step ' + last(split(left(cuts[i - 1], size(cuts[i - 1]) - 2), '"')), split(cuts[i], '"')[0], null, null]]
  + [text IN lacks[1..] | ['references', 'without value', split(text, '],"')[0], null]]
  + ran AS line
RETURN line[0] AS about, line[1] AS status, line[2] AS detail, line[3] AS at
