# The module URI of Perl.
use strict; use warnings; use MIME::Base64; use URI;
sub encode { my $text = shift; utf8::encode($text) if utf8::is_utf8($text); encode_base64($text, "") }
print "version ", encode("URI $URI::VERSION"), "\n";
my $number = 0;
while (my $line = <STDIN>) {
    my $octets = decode_base64($line);
    my $length = length $octets;
    my %part; my @unseen;
    my $ok = eval {
        local $SIG{__WARN__} = sub {};
        utf8::decode(my $text = $octets);
        my $u = URI->new($text);
        $part{scheme} = $u->scheme;
        if ($u->can("host")) {
            $part{host} = $u->host;
            $part{port} = $u->_port;
            my $userinfo = $u->can("userinfo") ? $u->userinfo : undef;
            ($part{user}, $part{password}) = split /:/, $userinfo, 2 if defined $userinfo;
        } elsif ($u->can("authority") && defined $u->authority) {
            @unseen = qw(user password host port); # this scheme has only an authority
        }
        $part{path} = $u->can("path") ? $u->path : $u->opaque;
        $part{query} = $u->query if $u->can("query");
        $part{fragment} = $u->fragment;
        1;
    };
    if ($ok) {
        print join(" ", $number, $length, "ok", (map { "$_:" . encode($part{$_}) } grep { defined $part{$_} } sort keys %part), map { "unseen:$_" } @unseen), "\n";
    } else {
        (my $error = "$@") =~ s/ at .*//s;
        print join(" ", $number, $length, "no", encode($error || "refused")), "\n";
    }
    $number++;
}
