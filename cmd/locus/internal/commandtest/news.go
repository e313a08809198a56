package commandtest

import "github.com/locus-url/locus/scheme/news/newstest"

// NewsGroups returns a newsgroup with articles of many kinds, and an empty newsgroup.
func NewsGroups() newstest.Groups {
	return newstest.Groups{
		"misc.empty": {Description: "Nothing.", Status: "m"},
		"misc.test": {
			Description: "Tests of \x1b[2Jall kinds.",
			First:       3000,
			Articles: []string{
				"From: =?iso-8859-1?Q?J=FCrgen?= <j@h.example>\r\nDate: Thu, 01 Dec 1994 10:30:00 +0000\r\nNewsgroups: misc.test\r\n" +
					"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nMessage-ID: <one@h.example>\r\n" +
					"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ngr=FCn =\r\nund blau\r\n.dot\r\n",
				"From: hostile@h.example\r\nDate: Thu, 01 Dec 1994 11:30:00 +0000\r\nNewsgroups: misc.test\r\n" +
					"Subject: \x1b]0;title\a\x1b[2Jred\r\nMessage-ID: <two@h.example>\r\nReferences: <one@h.example>\r\n\r\nbare\rcr \x1b[31mred\r\n",
				"",
				"From: fred@h.example\r\nDate: Thu, 01 Dec 1994 12:30:00 +0000\r\nNewsgroups: misc.test\r\n" +
					"Subject: with a file\r\nMessage-ID: <three@h.example>\r\nReferences: <one@h.example> <two@h.example>\r\nMIME-Version: 1.0\r\n" +
					"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nsee the file\r\n--b\r\n" +
					"Content-Type: application/octet-stream; name=\"../../evil.bin\"\r\nContent-ID: <file@h.example>\r\n" +
					"Content-Transfer-Encoding: base64\r\n\r\nAAECAw==\r\n--b--\r\n",
			},
		},
	}
}
