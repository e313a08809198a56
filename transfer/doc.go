// Package transfer downloads objects to files.
//
// [Run] downloads several objects concurrently, with a limit per host. A file gets its final name
// only when the file is complete.
//
// # Files
//
// Run writes an object to NAME.part in the chosen directory, and renames the file to NAME when the
// file is complete and on disk. So NAME either contains the whole object or does not exist, even
// after an error, an interruption, a full disk or a power failure. Run replaces an existing file
// only if Options.Overwrite is set. A file gets the modification time that the server reports,
// unless Options.NoTimes is set. Run opens files below the chosen directory through an [os.Root],
// and files in the directory itself by their plain names. So Run never writes outside the
// directory, whatever the name of a file, and follows no symbolic link out of the directory.
//
// On Linux, Run reads an object of at most 64 KiB into memory, unless the object replaces a file.
// It writes such an object to a file that has no name until the file is complete.
//
// # Resuming
//
// NAME.part.json describes the origin of NAME.part: the URL without its password, and the entity
// tag, time and size of the object. Run resumes a partial file if three conditions hold. The next
// run must request the same URL, and the server must report the same tag, time and size. The last
// bytes of the partial file, which Run requests again, must not differ. Otherwise, or if the server
// can't resume, Run downloads the object from its beginning: see Result.Discarded. A NAME.part
// without NAME.part.json belongs to another program, and Run never changes this file.
//
// While Run writes a part, it locks the file NAME.part.lock, which contains the process ID. Another
// run for the same file waits for the lock and then reads the state of the files again. A killed
// process leaves no lock. If the system or the file system does not support locks, Run uses no
// lock.
//
// # Errors
//
// If two jobs write to the same file, Run fails before it sends a request. If a body is shorter or
// longer than announced, the job fails, and the part remains. If Run can't decode the content
// coding of a body, such as "br", the file would not contain the object. In this case the job fails
// unless Options.Raw is set.
package transfer
