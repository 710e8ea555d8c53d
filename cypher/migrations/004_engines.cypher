// 004_engines.cypher: engines at work and the names of their functions.
CREATE CONSTRAINT engine_id IF NOT EXISTS FOR (e:ENGINE) REQUIRE e.id IS UNIQUE;
