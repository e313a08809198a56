// Package pipeline contains Apache Beam pipelines over many URLs, for lists, web archives and
// documents that are too large for one machine.
//
//	unique   count how often each canonical form occurs
//	check    count findings by rule, and URLs by scheme and host
//	extract  list the URLs in documents with their positions
//	join     list the canonical forms that are in both of two lists
//	graph    count links between hosts
//
// [Build] creates the pipeline for an [Options], and any runner of the SDK can run it. A pipeline
// writes unreadable records to the dead letters with a reason and continues. The output files
// appear when the whole output is complete.
package pipeline
