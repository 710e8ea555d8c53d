// Package natsbus carries notices between engines over NATS: it is an engine.Relay.
//
// Core NATS is enough: no streams, no acknowledgements. Everything that matters is in the store;
// a notice only says that it is worth reading. So a server that is away, or a notice that is lost,
// costs time and nothing else.
//
// The subject of a topic is SUBJECT.TOPIC, with the topic in base64 without padding. Topics are
// "inbox" and "session." with the session's id.
package natsbus
