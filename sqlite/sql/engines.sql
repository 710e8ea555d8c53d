-- Engines that were heard lately. ?1 time since when.
SELECT id, name, functions, heard_at, version, state, holds FROM engine WHERE heard_at >= ?1 ORDER BY name, id;
