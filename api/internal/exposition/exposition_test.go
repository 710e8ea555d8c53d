package exposition

import (
	"math"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestFamilies(t *testing.T) {
	requests := NewCounters("requests_total", "Requests, by \\ and\nline.", "method", "route")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { requests.Inc("GET", "/a") })
	}
	all.Wait()
	requests.Inc("GET", "say \"hi\"\\\n\xff")
	requests.Inc("", "")
	times := NewHistograms("seconds", "Times.", []float64{.5, 1}, "route")
	for _, value := range []float64{.5, .6, 1, 7} {
		times.Observe(value, "/a")
	}
	text := &Text{}
	requests.Write(text)
	NewCounters("never_total", "Without a sample.", "label").Write(text)
	times.Write(text)
	text.Family("limits", Gauge, "Numbers.")
	for _, value := range []float64{0, -1.5, 12345678, math.Inf(1), math.Inf(-1), math.NaN()} {
		text.Sample(value)
	}
	want := `# HELP requests_total Requests, by \\ and\nline.
# TYPE requests_total counter
requests_total{method="",route=""} 1
requests_total{method="GET",route="/a"} 20
requests_total{method="GET",route="say \"hi\"\\\n` + "\uFFFD" + `"} 1
# HELP seconds Times.
# TYPE seconds histogram
seconds_bucket{route="/a",le="0.5"} 1
seconds_bucket{route="/a",le="1"} 3
seconds_bucket{route="/a",le="+Inf"} 4
seconds_sum{route="/a"} 9.1
seconds_count{route="/a"} 4
# HELP limits Numbers.
# TYPE limits gauge
limits 0
limits -1.5
limits 1.2345678e+07
limits +Inf
limits -Inf
limits NaN
`
	if got := string(text.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRuntimeAndProcess compares with the families that Prometheus's own client library writes;
// two of its texts end without a full stop or an s, which the recording has.
func TestRuntimeAndProcess(t *testing.T) {
	text := &Text{}
	Go(text)
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		Process(text)
	}
	recorded, err := os.ReadFile("testdata/client_golang.txt")
	if err != nil {
		t.Fatal(err)
	}
	for want := range strings.Lines(string(recorded)) {
		name := strings.Fields(want)[2]
		if strings.HasPrefix(name, "process_") && !strings.Contains(string(text.Bytes()), "process_") {
			continue // only Linux has /proc
		}
		if !strings.Contains(string(text.Bytes()), want) {
			t.Errorf("no %s", want)
		}
		if value := regexp.MustCompile(`(?m)^` + name + `(_sum)?(\{version.*\})? [0-9.e+]+$`); !value.Match(text.Bytes()) {
			t.Errorf("no value of %s", name)
		}
	}
	if zero := regexp.MustCompile(`(?m)^(go_memstats_(alloc|sys|heap_objects)\w*|go_threads|process_(open|max|resident|start|virtual)\w*) (0|-.*)$`).Find(text.Bytes()); zero != nil {
		t.Errorf("%s", zero)
	}
}
