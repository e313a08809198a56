// Package transfer downloads objects to files.
//
// It downloads several objects concurrently, with a limit per host. A file has its final name
// only when it is complete.
//
// # Files
//
// Run writes an object to NAME.part in the chosen directory, and renames it to NAME when it is
// complete and on disk. So NAME is the whole object or does not exist, even after an error, an
// interruption, a full disk or a power failure. Run replaces an existing file only if
// Options.Overwrite is set. A file gets the modification time that the server reports, unless
// Options.NoTimes is set. Run opens all files through an [os.Root], or directly in the chosen
// directory. So it never writes outside the directory, whatever the name of a file, and follows
// no symbolic link out of it.
//
// On Linux, Run reads an object of at most 64 KiB that replaces no file into memory, and
// writes it to a file that has no name until it is complete.
//
// # Resuming
//
// NAME.part.json describes the origin of NAME.part: the URL without its password, and the tag,
// time and size of the version. Run resumes a partial file if three conditions hold. The next
// run requests the same URL. The server describes the object in the same way. The last bytes
// of the partial file, which Run requests again, are the same. Otherwise, or if the server
// can't resume, Run downloads the object from its beginning: see Result.Discarded. A NAME.part
// without NAME.part.json belongs to another program, and Run never touches it.
//
// While a part exists, NAME.part.lock is locked and contains the process ID. Another run for
// the same file waits for the lock and then reads the state of the files again. A killed
// process leaves no lock. If the system or the file system does not support locks, Run uses
// none.
//
// # Errors
//
// If two jobs have the same file, Run fails before it requests anything. If a body is shorter
// or longer than announced, the job fails, and the part remains. Bytes in a content coding
// that can't be decoded, such as "br", are an error unless Options.Raw is set, because the
// file would not contain the object.
package transfer
