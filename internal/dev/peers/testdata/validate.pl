# Says what Perl's packages make of texts: reads a JSON string a line, and writes an
# object a line with verdicts and components, null for absent ones.
use strict;
use warnings;
use JSON::PP;
use URI::Split qw(uri_split);
use Data::Validate::URI qw(is_uri);
use Regexp::Common qw(URI);

my $json = JSON::PP->new->utf8->allow_nonref->canonical;
my %scheme = (
    http   => $RE{URI}{HTTP},   https    => $RE{URI}{HTTP}{-scheme => 'https'},
    ftp    => $RE{URI}{FTP},    gopher   => $RE{URI}{gopher},
    news   => $RE{URI}{news},   telnet   => $RE{URI}{telnet},
    wais   => $RE{URI}{WAIS},   prospero => $RE{URI}{prospero},
    file   => $RE{URI}{file},
);
while (my $line = <STDIN>) {
    my $text = $json->decode($line);
    my %out = (
        'perl URI::Split'         => { parts => [uri_split($text)] },
        'perl Data::Validate::URI' => { ok => defined is_uri($text) ? JSON::PP::true : JSON::PP::false },
    );
    my ($name) = $text =~ /^([a-z]+):/;
    if (defined $name && $scheme{$name}) {
        $out{'perl Regexp::Common::URI'} = { ok => $text =~ /\A$scheme{$name}\z/ ? JSON::PP::true : JSON::PP::false };
    }
    print $json->encode(\%out), "\n";
}
