package exposition

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

// A runtimeMetric is a sum of metrics of the Go runtime.
type runtimeMetric struct {
	name, kind, help string
	of               []string
}

// runtimeMetrics have the names and texts that Prometheus's own client library uses.
var runtimeMetrics = []runtimeMetric{
	{"alloc_bytes", Gauge, "Number of bytes allocated in heap and currently in use", []string{"/memory/classes/heap/objects:bytes"}},
	{"alloc_bytes_total", Counter, "Total number of bytes allocated in heap until now, even if released already", []string{"/gc/heap/allocs:bytes"}},
	{"buck_hash_sys_bytes", Gauge, "Number of bytes used by the profiling bucket hash table", []string{"/memory/classes/profiling/buckets:bytes"}},
	{"frees_total", Counter, "Total number of heap objects frees", []string{"/gc/heap/frees:objects", "/gc/heap/tiny/allocs:objects"}},
	{"gc_sys_bytes", Gauge, "Number of bytes used for garbage collection system metadata", []string{"/memory/classes/metadata/other:bytes"}},
	{"heap_alloc_bytes", Gauge, "Number of heap bytes allocated and currently in use, same as go_memstats_alloc_bytes", []string{"/memory/classes/heap/objects:bytes"}},
	{"heap_idle_bytes", Gauge, "Number of heap bytes waiting to be used", []string{"/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
	{"heap_inuse_bytes", Gauge, "Number of heap bytes that are in use", []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes"}},
	{"heap_objects", Gauge, "Number of currently allocated objects", []string{"/gc/heap/objects:objects"}},
	{"heap_released_bytes", Gauge, "Number of heap bytes released to OS", []string{"/memory/classes/heap/released:bytes"}},
	{"heap_sys_bytes", Gauge, "Number of heap bytes obtained from system", []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes",
		"/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
	{"mallocs_total", Counter, "Total number of heap objects allocated, both live and gc-ed. Semantically a counter version for go_memstats_heap_objects gauge",
		[]string{"/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects"}},
	{"mcache_inuse_bytes", Gauge, "Number of bytes in use by mcache structures", []string{"/memory/classes/metadata/mcache/inuse:bytes"}},
	{"mcache_sys_bytes", Gauge, "Number of bytes used for mcache structures obtained from system", []string{"/memory/classes/metadata/mcache/inuse:bytes", "/memory/classes/metadata/mcache/free:bytes"}},
	{"mspan_inuse_bytes", Gauge, "Number of bytes in use by mspan structures", []string{"/memory/classes/metadata/mspan/inuse:bytes"}},
	{"mspan_sys_bytes", Gauge, "Number of bytes used for mspan structures obtained from system", []string{"/memory/classes/metadata/mspan/inuse:bytes", "/memory/classes/metadata/mspan/free:bytes"}},
	{"next_gc_bytes", Gauge, "Number of heap bytes when next garbage collection will take place", []string{"/gc/heap/goal:bytes"}},
	{"other_sys_bytes", Gauge, "Number of bytes used for other system allocations", []string{"/memory/classes/other:bytes"}},
	{"stack_inuse_bytes", Gauge, "Number of bytes obtained from system for stack allocator in non-CGO environments", []string{"/memory/classes/heap/stacks:bytes"}},
	{"stack_sys_bytes", Gauge, "Number of bytes obtained from system for stack allocator", []string{"/memory/classes/heap/stacks:bytes", "/memory/classes/os-stacks:bytes"}},
	{"sys_bytes", Gauge, "Number of bytes obtained from system", []string{"/memory/classes/total:bytes"}},
}

// Go writes what the runtime knows about this program: memory, goroutines, garbage collection.
func Go(t *Text) {
	for _, m := range runtimeMetrics {
		t.Family("go_memstats_"+m.name, m.kind, m.help+". Equals to "+strings.Join(m.of, " + ")+".")
		t.Sample(read(m.of...))
	}
	var gc debug.GCStats
	gc.PauseQuantiles = make([]time.Duration, 5)
	debug.ReadGCStats(&gc)
	t.Family("go_memstats_last_gc_time_seconds", Gauge, "Number of seconds since 1970 of last garbage collection.")
	t.Sample(float64(gc.LastGC.UnixNano()) / 1e9)
	t.Family("go_gc_duration_seconds", summary, "A summary of the wall-time pause (stop-the-world) duration in garbage collection cycles.")
	for i, pause := range gc.PauseQuantiles {
		t.Sample(pause.Seconds(), "quantile", number(float64(i)/4))
	}
	t.sample("_sum", gc.PauseTotal.Seconds())
	t.sample("_count", float64(gc.NumGC))
	t.Family("go_gc_gogc_percent", Gauge, "Heap size target percentage configured by the user, otherwise 100. This value is set by the GOGC environment variable, "+
		"and the runtime/debug.SetGCPercent function. Sourced from /gc/gogc:percent.")
	t.Sample(read("/gc/gogc:percent"))
	t.Family("go_gc_gomemlimit_bytes", Gauge, "Go runtime memory limit configured by the user, otherwise math.MaxInt64. This value is set by the GOMEMLIMIT environment variable, "+
		"and the runtime/debug.SetMemoryLimit function. Sourced from /gc/gomemlimit:bytes.")
	t.Sample(read("/gc/gomemlimit:bytes"))
	t.Family("go_sched_gomaxprocs_threads", Gauge, "The current runtime.GOMAXPROCS setting, or the number of operating system threads that can execute user-level Go code simultaneously. "+
		"Sourced from /sched/gomaxprocs:threads.")
	t.Sample(float64(runtime.GOMAXPROCS(0)))
	t.Family("go_goroutines", Gauge, "Number of goroutines that currently exist.")
	t.Sample(float64(runtime.NumGoroutine()))
	t.Family("go_info", Gauge, "Information about the Go environment.")
	t.Sample(1, "version", runtime.Version())
	threads, _ := runtime.ThreadCreateProfile(nil)
	t.Family("go_threads", Gauge, "Number of OS threads created.")
	t.Sample(float64(threads))
}

// read is the sum of metrics of the runtime.
func read(names ...string) (sum float64) {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			sum += float64(s.Value.Uint64())
		}
	}
	return sum
}
