-- CHILD_OF. ?1 parent, ?2 child.
INSERT OR IGNORE INTO child (parent, session) VALUES (?1, ?2);
