package markdown

import "golang.org/x/net/html/atom"

func set(names ...atom.Atom) map[atom.Atom]bool {
	all := map[atom.Atom]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// blocks begin and end a paragraph.
var blocks = set(atom.Address, atom.Article, atom.Aside, atom.Audio, atom.Blockquote, atom.Body, atom.Canvas, atom.Center, atom.Dd, atom.Dir, atom.Div,
	atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5,
	atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Isindex, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Noframes, atom.Noscript,
	atom.Ol, atom.Output, atom.P, atom.Pre, atom.Section, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul)

// voids have no content and mean something all the same.
var voids = set(atom.Area, atom.Base, atom.Br, atom.Col, atom.Command, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Keygen, atom.Link, atom.Meta,
	atom.Param, atom.Source, atom.Track, atom.Wbr)

// meaningful elements are kept though they hold no text.
var meaningful = set(atom.A, atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Th, atom.Td, atom.Iframe, atom.Script, atom.Audio, atom.Video)
