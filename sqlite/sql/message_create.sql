-- One line of the chat. ?1 session, ?2 n, ?3 role, ?4 step, ?5 at (ms), ?6 content.
INSERT INTO message (session, n, role, step, at, content) VALUES (?1, ?2, ?3, ?4, ?5, ?6);
