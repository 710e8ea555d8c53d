package process

// FilesOnly is what is used where namespaces are not allowed.
const FilesOnly = filesOnly
