package submit

// ComposeWith is Compose with a date and random bytes of the test's choice.
var ComposeWith = compose
