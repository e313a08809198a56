package message

var (
	Link       = messageURL
	Links      = messageURLs
	MessageIDs = messageIDs
)
