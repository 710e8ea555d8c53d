-- Puts a session into the queue of a lane; one that has waited before keeps its place.
-- ?1 session, ?2 lane, ?3 place, ?4 since, ?5 fresh, ?6 status.
INSERT INTO turn (session, lane, waiting, place, since, fresh, status) VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6)
ON CONFLICT (session) DO UPDATE SET lane = ?2, waiting = 1;
