package storetest

import (
	"slices"
	"time"
)

var schemaCases = []testCase{
	{"migrating what is up to date does nothing", schemaMigrate},
	{"the clock runs and is UTC", schemaClock},
	{"answers and has a name", schemaPing},
}

func schemaMigrate(k *kit) {
	_, err := k.store.Migrate(k.ctx)
	k.noError(err)
	r := k.create(k.newSession("a"))
	applied := make([][]string, 3)
	k.race(3, func(i int) (err error) {
		applied[i], err = k.store.Migrate(k.ctx)
		return err
	})
	k.equal("applied", len(slices.Concat(applied...)), 0)
	k.sameRecord("session", k.session("a"), r)
}

func schemaClock(k *kit) {
	first := k.now()
	k.equal("zone", first.Location() == time.UTC, true)
	k.until("the clock moves on", func() bool { return k.now().After(first) })
	if first.Before(since(0)) {
		k.Errorf("the clock says %v", first)
	}
}

func schemaPing(k *kit) {
	k.noError(k.store.Ping(k.ctx))
	if k.store.Describe() == "" {
		k.Error("the store has no name")
	}
}
