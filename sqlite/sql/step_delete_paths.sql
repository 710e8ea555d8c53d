-- The paths from and to a step, also those that come from other workflows. ?1 workflow, ?2 id.
DELETE FROM path WHERE (workflow = ?1 AND source = ?2) OR (workflow = ?1 AND target = ?2 AND target_workflow = '')
  OR (target_workflow = ?1 AND target = ?2 AND target_workflow <> '');
