// Package pipeline has pipelines of Apache Beam over many URLs: lists, web archives and
// documents that do not fit one machine.
//
//	unique   a row for each canonical form, and how often it came
//	check    count findings by rule, and URLs by scheme and host
//	extract  the URLs in documents, with where they were found
//	join     the canonical forms of one list that another has too
//	graph    links from host to host, and how many
//
// [Build] makes the pipeline of an [Options]; any runner of the SDK runs it. A record that
// can't be read goes to the dead letters with a reason, and does not end the job. The output
// appears when all of it is written.
package pipeline
