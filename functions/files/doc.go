// Package files holds the functions that read and write files: file.read, file.write,
// file.edit, file.list, file.find and file.grep. All of them stay below one folder, which
// the operator names; without it they are off. A path that leads out of it, also through a
// link, is refused by the system call itself (os.Root), not by a look at the text.
//
// What is written appears at once and whole: it is written beside and then renamed. A call
// may be made twice when its worker dies before the result is durable, so each function that
// writes says how the second time does nothing.
package files
