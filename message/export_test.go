package message

var (
	Link       = link
	Links      = links
	MessageIDs = messageIDs
)
