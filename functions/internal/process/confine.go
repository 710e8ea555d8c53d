package process

// Confinement says which files a command does not have. It takes effect with Isolate other
// than Shared, before the command's first instruction, and for all of its children.
type Confinement struct {
	// Hide are files and folders whose content the command cannot read or change, absolute
	// or relative to the caller's folder. A pattern of path/filepath stands for all that
	// match it when the command starts.
	Hide []string
	// Read, if not nil, is all that the command may read and run beside Write: a list of
	// what is needed holds better than one of what is not.
	Read []string
	// Write are folders that the command may change, when Read is given.
	Write []string
}

// Support is what the system lets commands have.
type Support struct {
	Namespaces bool // of their own, and mounts in them
	Landlock   int  // version of the kernel's interface; 0 is none
	Why        string
}
