// Package transfer writes objects to files: many at once, with a limit for each
// host, and so that what a file's name promises is in it.
//
// # Files
//
// An object is written to NAME.part in the chosen folder and renamed to NAME
// when it is whole and has reached the disk. So NAME is the whole object or is
// not there, whatever happens: an error, an interrupt, a full disk, a power cut.
// A file that is there already is replaced only if Options.Overwrite says so.
// All happens through an [os.Root]: no name and no link leads out of the folder.
//
// # Going on
//
// Beside NAME.part stands NAME.part.json and says what the part came from: the
// URL (without its password), the version's tag, its time and its size. A part
// is gone on with if its URL is asked for again, nothing the server says of the
// object differs from that, and the last octets of the part, which are asked for
// a second time, come out the same. Else the object has changed, or nobody can
// tell, and it is begun again, as it is when the server cannot resume:
// Result.Discarded tells that. A NAME.part that has no such neighbour is somebody
// else's file and never touched.
//
// While a file is fetched, NAME.part.lock is locked and names the process. Another
// run for the same file waits for it, and then looks again at what is there. A
// process that is killed leaves no lock. There are no locks where the system or the
// file system has none.
//
// # Refusals
//
// The same file for two objects is an error before anything is fetched. A body
// that is shorter or longer than was announced is an error, and what there is of
// it stays a part. Octets in a content coding that is not decoded here ("br") are an
// error unless Options.Raw is set: the file would pass for the object.
package transfer
