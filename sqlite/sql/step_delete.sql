-- ?1 workflow, ?2 id.
DELETE FROM step WHERE workflow = ?1 AND id = ?2;
