package vault

import (
	"fmt"
	"net/url"
	"strings"
)

// Profiles lists the profiles by name.
func (v *Vault) Profiles() ([]Named[Profile], error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.refresh(); err != nil {
		return nil, err
	}
	return list(v.stored.Profiles, v.options.Fixed.Profiles, same[Profile], same[Profile]), nil
}

// Profile returns a profile; ErrProfileNotFound, as a *NotFoundError, if it does not exist.
func (v *Vault) Profile(name string) (Named[Profile], error) {
	all, err := v.Profiles()
	if err != nil {
		return Named[Profile]{}, err
	}
	return find(all, name, ErrProfileNotFound)
}

// PutProfile sets a profile. ErrInvalid says what cannot be kept, ErrFixed that the
// configuration file has one of this name.
func (v *Vault) PutProfile(name string, p Profile) error {
	if err := p.check(name); err != nil {
		return err
	}
	_, fixed := v.options.Fixed.Profiles[name]
	return v.change("profile", name, fixed, func(s *stored) error { return put(&s.Profiles, name, p, v.options.Now()) })
}

// DeleteProfile removes a profile.
func (v *Vault) DeleteProfile(name string) error {
	_, fixed := v.options.Fixed.Profiles[name]
	return v.change("profile", name, fixed, func(s *stored) error { return remove(s.Profiles, name, ErrProfileNotFound) })
}

// Variables lists the variables by name.
func (v *Vault) Variables() ([]Named[Variable], error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.refresh(); err != nil {
		return nil, err
	}
	return list(v.stored.Variables, v.options.Fixed.Variables, same[Variable], same[Variable]), nil
}

// Variable returns a variable; ErrVariableNotFound, as a *NotFoundError, if it does not exist.
func (v *Vault) Variable(name string) (Named[Variable], error) {
	all, err := v.Variables()
	if err != nil {
		return Named[Variable]{}, err
	}
	return find(all, name, ErrVariableNotFound)
}

// PutVariable sets a variable; see PutProfile for its errors.
func (v *Vault) PutVariable(name string, value Variable) error {
	if err := value.check(name); err != nil {
		return err
	}
	_, fixed := v.options.Fixed.Variables[name]
	return v.change("variable", name, fixed, func(s *stored) error { return put(&s.Variables, name, value, v.options.Now()) })
}

// DeleteVariable removes a variable.
func (v *Vault) DeleteVariable(name string) error {
	_, fixed := v.options.Fixed.Variables[name]
	return v.change("variable", name, fixed, func(s *stored) error { return remove(s.Variables, name, ErrVariableNotFound) })
}

// Secrets lists the secrets by name, without their values.
func (v *Vault) Secrets() ([]Named[Secret], error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.refresh(); err != nil {
		return nil, err
	}
	return list(v.stored.Secrets, v.options.Fixed.Secrets, func(s sealed) Secret { return s.Secret }, func(s FixedSecret) Secret { return s.Secret }), nil
}

// Secret returns the public properties of a secret; ErrSecretNotFound, as a *NotFoundError, if
// it does not exist.
func (v *Vault) Secret(name string) (Named[Secret], error) {
	all, err := v.Secrets()
	if err != nil {
		return Named[Secret]{}, err
	}
	return find(all, name, ErrSecretNotFound)
}

// PutSecret sets a secret. Its value can be read only by Lookup. See PutProfile for the errors.
func (v *Vault) PutSecret(name, value string, s Secret) error {
	if err := s.check(name, value); err != nil {
		return err
	}
	_, fixed := v.options.Fixed.Secrets[name]
	return v.change("secret", name, fixed, func(file *stored) error {
		entry, err := v.seal(name, value, s)
		if err != nil {
			return err
		}
		return put(&file.Secrets, name, entry, v.options.Now())
	})
}

// DeleteSecret removes a secret.
func (v *Vault) DeleteSecret(name string) error {
	_, fixed := v.options.Fixed.Secrets[name]
	return v.change("secret", name, fixed, func(s *stored) error { return remove(s.Secrets, name, ErrSecretNotFound) })
}

// Lookup returns the value of a secret for a request to an address. ok is false if the secret
// does not exist, is only for other hosts, or cannot be read; in the last case the error has the
// reason.
func (v *Vault) Lookup(name string, to *url.URL) (string, bool, error) {
	return v.value(name, func(s Secret) bool { return s.serves(to) })
}

// Value gives the value of a secret for an entry of the configuration that hands it to a
// command. It is the operator who names the secret and the command there, so hosts do not
// count.
func (v *Vault) Value(name string) (string, bool, error) {
	return v.value(name, func(Secret) bool { return true })
}

func (v *Vault) value(name string, serves func(Secret) bool) (string, bool, error) {
	if fixed, ok := v.options.Fixed.Secrets[name]; ok {
		if !serves(fixed.Secret) {
			return "", false, nil
		}
		value, err := fixed.Value()
		if err != nil {
			return "", false, fmt.Errorf("secret %s of the configuration: %w", name, err)
		}
		value = strings.TrimRight(value, "\r\n")
		return value, value != "", nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.refresh(); err != nil {
		return "", false, err
	}
	s, ok := v.stored.Secrets[name]
	if !ok || !serves(s.Entry.Secret) {
		return "", false, nil
	}
	value, err := v.unseal(name, s.Entry)
	return value, err == nil, err
}
