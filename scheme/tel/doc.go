// Package tel parses tel URLs, which name telephone numbers (RFC 3966).
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
// A tel URL names a number, not an object, so a client cannot open it. RFC 1738 does not define
// the scheme, so any text after "tel:" is valid by its rules.
//
// # Differences from the grammar
//
//   - A "#" in a URI begins a fragment, so a local number contains the "#" key as %23.
//   - The names isub, ext and phone-context match only their own productions, and not the
//     production parameter.
//   - An extension must have at least one digit. The grammar allows an extension that consists
//     only of visual separators.
//
// # Equivalence
//
// The comparison of two numbers ignores case, visual separators and the order of parameters
// (section 4). If the context is a domain, it is compared like a hostname.
package tel
