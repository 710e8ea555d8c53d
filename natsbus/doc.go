// Package natsbus carries notices between engines over NATS: it is an engine.Relay.
//
// It uses core NATS, without streams and acknowledgements. All data is in the store; a notice only
// says that there is something to read. So an unreachable server or a lost notice delays events and
// loses none that are stored.
//
// The subject of a topic is SUBJECT.TOPIC, with the topic in base64 without padding. Topics are
// "inbox" and "session." with the session's id.
package natsbus
