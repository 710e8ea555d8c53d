-- What the guard of a checkpoint saw. ?1 session. No row means that it is gone.
SELECT version, lease, transition, inbox FROM session WHERE id = ?1;
