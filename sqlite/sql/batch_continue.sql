-- Takes a stopped batch up where it was, its failures forgiven. ?1 id, ?2 now.
UPDATE batch SET phase = CASE stopped_in WHEN '' THEN 'running' ELSE stopped_in END, stopped_in = '', message = '',
  forgiven = failed, due_at = CASE stopped_in WHEN 'collecting' THEN NULL ELSE ?2 END, updated_at = ?2
WHERE id = ?1 AND phase = 'stopped' AND deleting = 0;
