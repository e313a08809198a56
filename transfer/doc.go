// Package transfer writes objects to files: several at once, with a limit for each
// host, and so that a file is complete once it has its name.
//
// # Files
//
// An object is written to NAME.part in the chosen folder, and renamed to NAME when it
// is complete and on the disk. So NAME is the whole object or does not exist, even after
// an error, an interrupt, a full disk or a power cut. An existing file is replaced only
// if Options.Overwrite is set. It has the time that the server tells, unless
// Options.NoTimes is set. All files are opened through an [os.Root], or in its folder
// itself: no name and no link leads out of the folder.
//
// On Linux, an object of at most 64 KiB that replaces nothing is read into memory, and
// written to a file that has no name until it is complete.
//
// # Resuming
//
// NAME.part.json describes the origin of NAME.part: the URL (without its password), the
// version's tag, its time and its size. A part is resumed if the same URL is requested
// again, the server's description of the object does not differ, and the last bytes of
// the part, which are requested again, are the same. Otherwise the object is fetched from
// its beginning, as it is if the server can't resume: see Result.Discarded. A NAME.part
// without NAME.part.json belongs to another program and is never touched.
//
// While there is a part, NAME.part.lock is locked and names the process. Another run for
// the same file waits for it, and then looks at the files again. A process that is killed
// leaves no lock. There are no locks where the system or the file system has none.
//
// # Errors
//
// Two objects with the same file are an error before anything is fetched. A body that is
// shorter or longer than announced is an error, and stays a part. Bytes in a content
// coding that can't be decoded ("br") are an error unless Options.Raw is set, because
// the file would pass for the object.
package transfer
