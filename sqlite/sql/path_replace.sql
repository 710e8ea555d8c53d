-- As path_create, and ?7 the path. No row changed means that it is gone.
UPDATE path SET kind = ?2, source = ?3, target_workflow = ?4, target = ?5, properties = ?6
WHERE workflow = ?1 AND id = ?7;
