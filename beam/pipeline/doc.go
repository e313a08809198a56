// Package pipeline contains Apache Beam pipelines over many URLs, for lists, web archives and
// documents that are too large for one machine.
//
//	unique   count how often each canonical form occurs
//	check    count findings by rule, and URLs by scheme and host
//	extract  list the URLs in documents with their positions
//	join     list the canonical forms that are in both of two lists
//	graph    count links between hosts
//
// [Build] creates the pipeline that an [Options] value describes. Any runner of the Beam SDK can
// run the pipeline. If a record is unreadable, the pipeline writes the record and the reason to a
// dead-letter file, and continues. The output files appear only when the whole output is complete.
package pipeline
