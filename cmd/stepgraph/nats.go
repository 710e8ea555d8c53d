package main

import (
	"cmp"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/internal/build"
	"github.com/stepgraph/stepgraph/natsbus"
)

// A natsConfig says by which NATS server engines tell each other of events. Without a URL there is
// none.
type natsConfig struct {
	URL         string `json:"url"` // several with commas; may hold a user and password
	Subject     string `json:"subject"`
	Credentials string `json:"credentials"` // file
	TokenFile   string `json:"token_file"`
	CA          string `json:"ca"`   // file
	Cert        string `json:"cert"` // file
	Key         string `json:"key"`  // file
}

func (c *natsConfig) register(f *pflag.FlagSet) {
	f.StringVar(&c.URL, "nats", "", "NATS server, nats://HOST:PORT or tls://HOST:PORT, through which engines on one store notify each other of events ($STEPGRAPH_NATS, which may hold a user and password)")
	f.StringVar(&c.Subject, "nats-subject", "", "prefix of the subjects of this store's engines ($STEPGRAPH_NATS_SUBJECT, "+natsbus.DefaultSubject+"), different for each store")
	f.StringVar(&c.Credentials, "nats-creds", "", "file with the credentials of a NATS user ($STEPGRAPH_NATS_CREDS)")
	f.StringVar(&c.TokenFile, "nats-token-file", "", "file with the token of the NATS server ($STEPGRAPH_NATS_TOKEN_FILE)")
	f.StringVar(&c.CA, "nats-ca", "", "certificates (PEM) that the NATS server's is checked against ($STEPGRAPH_NATS_CA; those of the system)")
	f.StringVar(&c.Cert, "nats-cert", "", "certificate (PEM) shown to the NATS server ($STEPGRAPH_NATS_CERT)")
	f.StringVar(&c.Key, "nats-key", "", "private key of --nats-cert (PEM) ($STEPGRAPH_NATS_KEY)")
}

// resolve returns the settings that apply: flag, else environment, else file.
func (flags *natsConfig) resolve(env func(string) string, file natsConfig) (natsConfig, error) {
	c := natsConfig{
		URL:         cmp.Or(flags.URL, env("STEPGRAPH_NATS"), file.URL),
		Subject:     cmp.Or(flags.Subject, env("STEPGRAPH_NATS_SUBJECT"), file.Subject),
		Credentials: cmp.Or(flags.Credentials, env("STEPGRAPH_NATS_CREDS"), file.Credentials),
		TokenFile:   cmp.Or(flags.TokenFile, env("STEPGRAPH_NATS_TOKEN_FILE"), file.TokenFile),
		CA:          cmp.Or(flags.CA, env("STEPGRAPH_NATS_CA"), file.CA),
		Cert:        cmp.Or(flags.Cert, env("STEPGRAPH_NATS_CERT"), file.Cert),
		Key:         cmp.Or(flags.Key, env("STEPGRAPH_NATS_KEY"), file.Key),
	}
	switch {
	case c.URL == "" && c != (natsConfig{}):
		return c, usagef("--nats is missing: other settings of NATS are given")
	case (c.Cert == "") != (c.Key == ""):
		return c, usagef("--nats-cert and --nats-key go together")
	}
	return c, nil
}

// open returns a connection with these settings; nil without a URL. It does not wait for the server.
func (c *natsConfig) open(log *slog.Logger) (*natsbus.Bus, error) {
	if c.URL == "" {
		return nil, nil
	}
	o := natsbus.Options{URL: c.URL, Subject: c.Subject, Credentials: c.Credentials, CA: c.CA, Cert: c.Cert, Key: c.Key, Log: log, Name: "stepgraph " + build.Version()}
	if c.TokenFile != "" {
		text, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, usagef("--nats-token-file: %s", err)
		}
		o.Token = strings.TrimSpace(string(text))
	}
	bus, err := natsbus.Open(o)
	if err != nil {
		return nil, usagef("--nats: %s", err)
	}
	return bus, nil
}
