-- Forgets engines that have been silent. ?1 time before which they were heard last.
DELETE FROM engine WHERE heard_at < ?1;
