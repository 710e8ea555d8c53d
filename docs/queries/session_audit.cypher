// Who acted on a session over the network
// The audit trail of one session, in order: who, from where, what, and with which result; refused requests too. It stays when the session is deleted.
// :param session => '0199…';
// :param limit => 200;
MATCH (a:AUDIT {session: $session})
RETURN a.at AS at, a.who AS who, a.from AS from, a.action AS action, a.subject AS subject, a.status AS status, a.before AS before, a.after AS after
ORDER BY at LIMIT $limit
