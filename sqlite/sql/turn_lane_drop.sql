-- Removes a lane in which nobody runs or waits. ?1 id.
DELETE FROM lane WHERE id = ?1;
