// parse_url of PHP.
echo "version ", base64_encode("PHP " . PHP_VERSION), "\n";
$names = ["scheme" => "scheme", "user" => "user", "pass" => "password", "host" => "host", "port" => "port", "path" => "path", "query" => "query", "fragment" => "fragment"];
for ($number = 0; ($line = fgets(STDIN)) !== false; $number++) {
    $octets = base64_decode($line);
    echo $number, " ", strlen($octets);
    $parts = parse_url($octets);
    if ($parts === false) {
        echo " no ", base64_encode("parse_url returns false"), "\n";
        continue;
    }
    echo " ok";
    foreach ($parts as $key => $value) {
        echo " ", $names[$key], ":", base64_encode((string) $value);
    }
    echo "\n";
}
