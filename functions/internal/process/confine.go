package process

// Confinement limits the files that a command can access. It takes effect with Isolate other
// than Shared, before the command's first instruction, and applies to all of its children.
type Confinement struct {
	// Hide lists files and folders whose content the command cannot read or change, as
	// absolute paths or relative to the caller's folder. A pattern of path/filepath stands for
	// its matches when the command starts.
	Hide []string
	// Read, if not nil, lists all that the command may read and run in addition to Write. A
	// list of allowed paths is safer than a list of hidden ones.
	Read []string
	// Write lists the folders that the command may change; it is used only if Read is set.
	Write []string
}

// Support describes the isolation that the system supports.
type Support struct {
	Namespaces bool // user and mount namespaces
	Landlock   int  // version of the kernel's Landlock interface; 0 is none
	Why        string
}
