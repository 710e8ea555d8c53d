-- ?1 workflow, ?2 id, ?3 properties.
INSERT INTO step (workflow, id, properties) VALUES (?1, ?2, ?3)
ON CONFLICT (workflow, id) DO UPDATE SET properties = excluded.properties;
