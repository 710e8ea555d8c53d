-- ?1 id, ?2 name, ?3 description, ?4 settings, ?5 extra.
INSERT OR REPLACE INTO workflow (id, name, description, settings, extra) VALUES (?1, ?2, ?3, ?4, ?5);
