package exposition

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// ticks is how many of them /proc counts in a second; Linux has the same number for all programs.
const ticks = 100

// Process writes what the system knows about this process, where it has /proc.
func Process(t *Text) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return
	}
	// The name of the program comes second, in parentheses, and may contain anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 22 {
		return
	}
	field := func(n int) float64 { return parsed(string(fields[n-3])) } // numbered as in proc(5)
	metric := func(name, kind, help string, value float64) {
		t.Family("process_"+name, kind, help)
		t.Sample(value)
	}
	metric("cpu_seconds_total", Counter, "Total user and system CPU time spent in seconds.", (field(14)+field(15))/ticks)
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		metric("open_fds", Gauge, "Number of open file descriptors.", float64(len(open)))
	}
	metric("max_fds", Gauge, "Maximum number of open file descriptors.", parsed(row("/proc/self/limits", "Max open files ")))
	metric("network_receive_bytes_total", Counter, "Number of bytes received by the process over the network.", octets("InOctets"))
	metric("network_transmit_bytes_total", Counter, "Number of bytes sent by the process over the network.", octets("OutOctets"))
	metric("resident_memory_bytes", Gauge, "Resident memory size in bytes.", field(24)*float64(os.Getpagesize()))
	metric("start_time_seconds", Gauge, "Start time of the process since unix epoch in seconds.", field(22)/ticks+parsed(row("/proc/stat", "btime ")))
	metric("virtual_memory_bytes", Gauge, "Virtual memory size in bytes.", field(23))
	metric("virtual_memory_max_bytes", Gauge, "Maximum amount of virtual memory available in bytes.", parsed(row("/proc/self/limits", "Max address space ")))
}

// row is what follows in the line of a file that begins with a text; "" where there is none.
func row(file, begins string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), begins); ok {
			if fields := strings.Fields(rest); len(fields) > 0 {
				return fields[0]
			}
		}
	}
	return ""
}

// octets is a number of /proc/self/net/netstat, which has a line of names before each line of values.
func octets(name string) float64 {
	text, _ := os.ReadFile("/proc/self/net/netstat") // nothing where there is none
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "IpExt: ")
		switch {
		case !ok:
		case names == nil:
			names = strings.Fields(rest)
		default:
			for i, value := range strings.Fields(rest) {
				if i < len(names) && names[i] == name {
					return parsed(value)
				}
			}
		}
	}
	return 0
}

// parsed is a number of /proc, where a limit may be unlimited.
func parsed(text string) float64 {
	if text == "unlimited" {
		return math.MaxUint64
	}
	n, _ := strconv.ParseFloat(text, 64) // 0 where there is none
	return n
}
