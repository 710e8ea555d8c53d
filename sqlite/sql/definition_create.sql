-- ?1 hash, ?2 workflow, ?3 step, ?4 text, ?5 first seen. One that is there stays as it is.
INSERT OR IGNORE INTO definition (hash, workflow, step, text, first_seen) VALUES (?1, ?2, ?3, ?4, ?5);
