// Package tel parses tel URLs, which name a telephone number (RFC 3966).
//
//	telephone-uri        = "tel:" telephone-subscriber
//	telephone-subscriber = global-number / local-number
//	global-number        = global-number-digits *par
//	local-number         = local-number-digits *par context *par
//	par                  = parameter / extension / isdn-subaddress
//	isdn-subaddress      = ";isub=" 1*uric
//	extension            = ";ext=" 1*phonedigit
//	context              = ";phone-context=" descriptor
//	descriptor           = domainname / global-number-digits
//	global-number-digits = "+" *phonedigit DIGIT *phonedigit
//	local-number-digits  = *phonedigit-hex (HEXDIG / "*" / "#") *phonedigit-hex
//	domainname           = *( domainlabel "." ) toplabel [ "." ]
//	parameter            = ";" pname ["=" pvalue ]
//	pname                = 1*( alphanum / "-" )
//	pvalue               = 1*paramchar
//	phonedigit           = DIGIT / [ visual-separator ]
//	phonedigit-hex       = HEXDIG / "*" / "#" / [ visual-separator ]
//	visual-separator     = "-" / "." / "(" / ")"
//
// A tel URL names a number, not an object, so a client cannot open it. RFC 1738 does not
// define the scheme: by its rules any text after "tel:" is valid.
//
// # Differences from the grammar
//
//   - A "#" in a URI begins a fragment, so a local number contains the "#" key as %23.
//   - isub, ext and phone-context have only their own productions. They are not also a
//     parameter.
//   - An extension must have at least one digit. The grammar allows an empty one.
//
// # Equivalence
//
// Two numbers are equivalent in any case, with any visual separators, and with their
// parameters in any order (section 4). A domain as context is compared like a
// hostname.
package tel
