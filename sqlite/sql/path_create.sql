-- ?1 workflow, ?2 kind, ?3 source, ?4 workflow of the target or empty, ?5 target, ?6 properties.
INSERT INTO path (workflow, kind, source, target_workflow, target, properties) VALUES (?1, ?2, ?3, ?4, ?5, ?6);
