package shell

import (
	"strings"
	"testing"
)

var known = map[string]bool{"ref_0": true, "ref_1": true, "ref_10": true}

func TestBindPowerShell(t *testing.T) {
	for text, want := range map[string]string{
		"Write-Output ref_0":                "Write-Output ${env:ref_0}",
		`Write-Output "a ref_0 b"`:          `Write-Output "a ${env:ref_0} b"`,
		`Write-Output 'a "$x" ''ref_0'' b'`: "Write-Output \"a `\"`$x`\" '${env:ref_0}' b\"",
		"Write-Output 'it''s'; $x = ref_1":  "Write-Output 'it''s'; $x = ${env:ref_1}",
		"@\"\n'ref_0'\n\"@":                 "@\"\n'${env:ref_0}'\n\"@",
		"@'\n\"x\"\n'@ + ref_0":             "@'\n\"x\"\n'@ + ${env:ref_0}",
		"Write-Output `\"ref_0`\"":          "Write-Output `\"${env:ref_0}`\"",
	} {
		if got, err := bindPowerShell(text, known); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"iex ref_0", "Invoke-Expression 'ref_0'", "& ref_0", "@'\nref_0\n'@", "Write-Output `ref_0", "[ScriptBlock]::Create(ref_0)"} {
		if got, err := bindPowerShell(text, known); err == nil {
			t.Errorf("%s gave %s", text, got)
		}
	}
}

func TestCmdTakesNoReferences(t *testing.T) {
	if _, err := refuseInCmd("echo ref_0", known); err == nil || !strings.Contains(err.Error(), "pwsh") {
		t.Errorf("got %v", err)
	}
	if got, err := refuseInCmd("echo a\necho b\r\n", nil); err != nil || got != "@echo off\r\necho a\r\necho b\r\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// The longest identifier counts: ref_1 is not the beginning of ref_10.
func TestIdentifiersAreTakenWhole(t *testing.T) {
	got, err := bind("echo ref_10 ref_1 xref_0x", known)
	if want := `echo "${ref_10}" "${ref_1}" x"${ref_0}"x`; err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestEnvironmentThatIsDropped(t *testing.T) {
	f := stepFunction{Options{Env: []string{"LET"}, Getenv: func(name string) string {
		return map[string]string{"PATH": "/bin", "LET": "through", "SECRET": "x"}[name]
	}}}
	got, err := f.environment([]byte(`{"A":1,"B":{"c":"d"},"path":"/evil","LD_PRELOAD":"x","BASH_ENV":"x","STEPGRAPH_PROCESS":"x","NODE_OPTIONS":"x","IFS":"x"}`), []byte(`{"GIT_CONFIG_COUNT":"1","1":2}`))
	if want := `PATH=/bin LET=through ARG_GIT_CONFIG_COUNT=1 ARG_1=2 A=1 B={"c":"d"}`; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := f.environment([]byte(`{"A=B":1}`), nil); err == nil {
		t.Error("a name that is none passes")
	}
}
