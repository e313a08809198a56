// Package tel is the tel scheme: a telephone number (RFC 3966).
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
// A tel URL names a number, not an object, so it can't be opened. RFC 1738 does not have the
// scheme: by its rules any text after "tel:" is one.
//
// # Differences from the grammar
//
//   - A "#" in a URI begins a fragment, so the key of that name is written %23 in a local
//     number.
//   - isub, ext and phone-context have their own productions only. They are not a parameter
//     too.
//   - An extension has at least one digit. By the grammar it may be empty.
//
// # Equivalence
//
// Two numbers are equivalent in any case, with any visual separators, and with their
// parameters in any order (section 4). A domain as context is compared as a hostname.
package tel
